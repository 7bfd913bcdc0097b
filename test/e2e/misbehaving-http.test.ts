import { connect } from 'node:net'
import type { ConnectorInput, ConnectorView, LogLine, TestReport } from '@herma/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RawClient, type LegacyConnection } from '../fixtures/misbehaving/raw-client.ts'
import { startMisbehavingServer, type MisbehavingServer } from '../fixtures/misbehaving/start-misbehaving-server.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

const options = { maxRestarts: 0, requestTimeoutMs: 1000, handshakeTimeoutMs: 5000 }

let server: MisbehavingServer
let hub: TestHub
let client: RawClient
let connection: LegacyConnection

beforeAll(async () => {
  server = await startMisbehavingServer()
  hub = await startTestHub({ connectors: [connector('good', 'well')] })
  client = new RawClient(hub.endpoint)
  connection = await client.connect()
})

afterAll(async () => {
  await hub.stop()
  await server[Symbol.asyncDispose]()
})

afterEach(async () => {
  await hub.api('DELETE', '/api/connectors/bad')
  await callGood()
})

function connector(name: string, path: string, rest: Partial<ConnectorInput> = {}): ConnectorInput {
  return { name, transport: 'stream', baseUrl: `${server.url}/${path}/mcp`, options, ...rest }
}

/** Adds the server and waits until it was reached, or not. */
async function addBad(path: string, rest: Partial<ConnectorInput> = {}): Promise<ConnectorView> {
  await hub.add(connector('bad', path, rest))
  return waitFor(async () => {
    const bad = await view()
    return bad.health.state === 'starting' ? undefined : bad
  })
}

async function view(): Promise<ConnectorView> {
  return (await hub.api('GET', '/api/connectors/bad')).body as ConnectorView
}

async function logs(): Promise<string> {
  const { lines } = (await hub.api('GET', '/api/connectors/bad/logs')).body as { lines: LogLine[] }
  return lines.map(({ text }) => text).join('\n')
}

async function report(body = {}): Promise<TestReport> {
  return (await hub.api('POST', '/api/connectors/bad/test', body)).body as TestReport
}

async function callGood(): Promise<void> {
  const { message } = await client.callTool('good__echo', { text: 'meanwhile' })
  expect(message.result?.content?.[0]?.text).toBe('meanwhile')
}

async function callBad(tool: string): Promise<{ text: string | undefined; error: string | undefined }> {
  const [answer] = await Promise.all([connection.request('tools/call', { name: `bad__${tool}` }), callGood()])
  const { result, error } = answer.message
  return { text: result?.content?.[0]?.text, error: error?.message }
}

describe('an address', () => {
  test.each([
    ['status-500', /^'bad' answered HTTP 500$/, 'MCP endpoint'],
    ['status-503', /^'bad' answered HTTP 503$/, 'MCP endpoint'],
    ['status-404', /^'bad' answered HTTP 404: is the path right\?/, 'Check the path'],
    ['status-302', /^'bad' answered HTTP 302: it redirects/, 'MCP endpoint'],
    ['status-401', /^'bad' answered HTTP 401: it wants a sign-in. Run: herma login bad/, 'herma edit bad --header'],
    ['status-202', /^'bad' answered HTTP 202 without an answer/, 'MCP endpoint'],
    ['status-204', /^'bad' answered HTTP 204 without an answer/, 'MCP endpoint'],
    ['html', /^'bad' did not answer in JSON-RPC: Unexpected token '<'/, 'MCP endpoint'],
    ['empty', /^'bad' did not answer in JSON-RPC: Unexpected end/, 'MCP endpoint'],
    ['reset', /^'bad' broke the connection: /, 'MCP endpoint'],
    ['no-http', /^'bad' broke the connection: /, 'MCP endpoint'],
    ['endless-body', /^'bad' sent more than 16777216 bytes\. Raise it with: herma edit bad/, 'MCP endpoint'],
    ['endless-event', /^'bad' was cut off: A stream event is larger than 16777216 bytes/, 'MCP endpoint'],
  ])('that does the wrong thing (%s) shows why, with stage, cause and fix', async (path, reason, fix) => {
    const bad = await addBad(path)
    expect(bad.health.lastError?.message).toMatch(reason)
    expect(['failed', 'backoff']).toContain(bad.health.state)
    const [tested] = await Promise.all([report(), callGood()])
    expect(tested.ok).toBe(false)
    expect(tested.stages.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'resolve ok',
      'start ok',
      'handshake failed',
      'list skipped',
    ])
    expect(tested.cause).toMatch(reason)
    expect(tested.fix).toContain(fix)
  })

  test.each(['never', 'hang'])('that never answers (%s) shows how long it was given', async (path) => {
    const bad = await addBad(path, { options: { ...options, handshakeTimeoutMs: 500 } })
    expect(bad.health.lastError?.message).toMatch(/^'bad' did not answer \S+ within \d+ ms\.$/)
    expect(await report()).toMatchObject({ ok: false, cause: expect.stringMatching(/within \d+ ms/) })
  })

  test('where nobody listens says so', async () => {
    const bad = await hub.add({ ...connector('bad', ''), baseUrl: 'http://127.0.0.1:9' })
    expect(bad.health.lastError?.message).toMatch(/^'bad' cannot be reached: .*ECONNREFUSED/)
    const tested = await report()
    expect(tested.stages.find(({ outcome }) => outcome === 'failed')?.name).toBe('start')
    expect(tested.fix).toContain('Start the server')
  })

  test('with a host that does not exist says so', async () => {
    const bad = await hub.add({ ...connector('bad', ''), baseUrl: 'http://no-such-host.invalid' })
    expect(bad.health.lastError?.message).toMatch(/^'bad' cannot be reached: /)
    const tested = await report()
    expect(tested.stages.find(({ outcome }) => outcome === 'failed')?.name).toBe('resolve')
    expect(tested.fix).toContain('host name')
  })

  test('with headers that cannot be sent says so', async () => {
    const bad = await addBad('well', { headers: [{ name: 'not a header', value: 'x' }] })
    expect(bad.health.lastError?.message).toMatch(/^'bad' .*header/i)
  })
})

describe('a call', () => {
  test.each([
    ['status-500', /^'bad' answered HTTP 500$/],
    ['status-404', /^'bad' answered HTTP 404/],
    ['html', /^'bad' did not answer in JSON-RPC: /],
    ['empty', /^'bad' did not answer in JSON-RPC: /],
    ['invalid-json', /^'bad' did not answer in JSON-RPC: /],
    ['cut-json', /^'bad' did not answer in JSON-RPC: /],
    ['invalid-event', /^'bad' did not answer in JSON-RPC: /],
    ['a-message', /^'bad' did not answer in JSON-RPC: sent the message notifications\/message instead/],
    ['wrong-id', /^'bad' did not answer in JSON-RPC: answered the id \d+ instead of \d+$/],
    ['wrong-id-event', /^'bad' closed its stream without an answer\. The call may have run\.$/],
    ['closed-stream', /^'bad' closed its stream without an answer\. The call may have run\.$/],
    ['reset', /^'bad' broke the connection: .*The call may have run\.$/],
    ['cut-body', /^'bad' broke the connection: .*The call may have run\.$/],
    // It answers pings, so that it is waited for until the last limit.
    ['silent', /^'bad' did not finish within 3000 ms\. The call may have run\.$/],
    ['large-known', /^'bad' sent more than 16777216 bytes\. Raise it with: herma edit bad/],
    ['large-chunked', /^'bad' sent more than 16777216 bytes\. Raise it with: herma edit bad/],
    ['large-event', /^'bad' was cut off: A stream event is larger than 16777216 bytes/],
    ['empty-lines', /^'bad' was cut off: A stream event is larger than 16777216 bytes/],
  ])('of a tool that does the wrong thing (%s) ends with a clear error', async (tool, reason) => {
    await addBad('tools', { options: tool === 'silent' ? { ...options, maxRequestMs: 3000 } : options })
    const { error } = await callBad(tool)
    expect(error).toMatch(reason)
    expect((await view()).health.lastError?.message).toMatch(reason)
    expect((await report({ tool })).stages.at(-1)).toMatchObject({ name: 'call', outcome: 'failed' })
    expect((await connection.request('tools/call', { name: 'bad__echo', arguments: { text: 'a' } })).status).toBe(200)
  })

  test.each(['wrong-type', 'twice'])('of a tool that is only careless (%s) is answered', async (tool) => {
    await addBad('tools')
    expect((await callBad(tool)).text).toBe('good')
    expect((await callBad(tool)).text).toBe('good')
  })

  test('whose answer breaks off after it has begun to pass is cut off for the client too', async () => {
    await addBad('tools')
    await expect(connection.request('tools/call', { name: 'bad__cut-large-body' })).rejects.toThrow('aborted')
    expect((await view()).health.inFlight).toBe(0)
    await callGood()
  })

  test('with an answer of 50 MB passes when that is allowed', async () => {
    await addBad('tools', { options: { ...options, maxMessageBytes: 100_000_000, requestTimeoutMs: 30_000 } })
    for (const tool of ['large-known', 'large-chunked', 'large-event']) {
      const { text } = await connection.request('tools/call', { name: `bad__${tool}` })
      expect(text.length).toBeGreaterThan(50_000_000)
    }
  })
})

test('a legacy client that leaves while a large answer passes leaves nothing under way', async () => {
  await addBad('tools', { options: { ...options, maxMessageBytes: 100_000_000, requestTimeoutMs: 0 } })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'bad__large-known' } })
  const socket = connect(Number(hub.endpoint.port), hub.endpoint.hostname)
  const headers = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Session-Id: ${connection.sessionId}\r\n`
  socket.write(`POST /mcp HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`)
  await new Promise((resolve) => socket.once('readable', resolve))
  expect((await view()).health.inFlight).toBe(1)
  socket.destroy()
  await waitFor(async () => ((await view()).health.inFlight === 0 ? true : undefined))
})

test('a server that ends its stream of changes at once is not asked for it without a pause', async () => {
  await addBad('impatient')
  const count = async () => Number((await callBad('listen-count')).text)
  await waitFor(async () => ((await count()) >= 2 ? true : undefined))
  expect(await count()).toBeLessThan(20)
})

describe('a server of the older transport', () => {
  test.each([
    ['sse-other-origin', /^'bad' named an endpoint of another origin, http:\/\/evil\.example/],
    ['sse-closing', /^'bad' closed its event stream/],
    ['sse-silent', /^'bad' named no endpoint in time/],
    ['sse-flood', /^'bad' .*larger than 16777216 bytes/],
    ['status-404', /^'bad' answered HTTP 404 to the request for its event stream/],
    ['html', /^'bad' closed its event stream/],
  ])('that does the wrong thing (%s) shows why', async (path, reason) => {
    const bad = await addBad(path, { transport: 'sse', options: { ...options, handshakeTimeoutMs: 1500 } })
    expect(bad.health.lastError?.message).toMatch(reason)
    expect(await report()).toMatchObject({ ok: false, cause: expect.stringMatching(reason) })
    expect(await logs()).toMatch(new RegExp(reason.source.replace('^', '')))
  })
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { HubStatus } from '@herma/contract'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { modernMeta, modernRevision, RawClient, type LegacyConnection } from '../fixtures/misbehaving/raw-client.ts'
import { startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
const maxBodyBytes = 1_000_000

let hub: TestHub
let client: RawClient
let connection: LegacyConnection

beforeAll(async () => {
  hub = await startTestHub({ connectors: [stdioConnector('good', [program])], maxBodyBytes })
  client = new RawClient(hub.endpoint)
  connection = await client.connect()
})

afterAll(() => hub.stop())

afterEach(expectServing)

async function expectServing(): Promise<void> {
  const { message } = await client.callTool('good__echo', { text: 'still here' })
  expect(message.result?.content).toEqual([{ type: 'text', text: 'still here' }])
  await expectInFlight(0)
}

async function expectInFlight(count: number): Promise<void> {
  await waitFor(async () => ((await status()).inFlight === count ? true : undefined))
}

async function status(): Promise<HubStatus> {
  return (await hub.api('GET', '/api/status')).body as HubStatus
}

async function openSocket(): Promise<Socket> {
  const socket = connect(Number(hub.endpoint.port), hub.endpoint.hostname)
  // Being cut off is what many of these tests are about.
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Everything that comes until the hub closes the socket. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  await new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
  return text
}

function head(headers: Record<string, string>, request = 'POST /mcp HTTP/1.1'): string {
  const all = { host: '127.0.0.1', 'content-type': 'application/json', ...connection.headers, ...headers }
  return `${request}\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
}

describe('a body that is too large', () => {
  test('is refused by its length alone', async () => {
    const socket = await openSocket()
    socket.write(head({ 'content-length': String(maxBodyBytes + 1) }))
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(chunk.toString('latin1')).toMatch(/^HTTP\/1\.1 413 /)
    expect(chunk.toString('latin1')).toContain('larger than 1000000 bytes')
  })

  test('does not have to stop for the answer to be seen', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => connection.send(Buffer.alloc(12_000_000, 0x20))))
    expect(answers.map(({ status: each }) => each)).toEqual([413, 413, 413])
  })

  test('is refused while it comes when it does not tell its length', async () => {
    const socket = await openSocket()
    socket.write(head({ 'transfer-encoding': 'chunked' }))
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    let sentBytes = 0
    const feed = () => {
      while (sentBytes < 100_000_000 && !socket.destroyed && socket.write(chunk)) sentBytes += chunk.length
    }
    socket.on('drain', feed)
    feed()
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 /)
    expect(sentBytes).toBeLessThan(100_000_000)
  })

  test('of just the limit is read', async () => {
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const { message: answer } = await connection.send(message.padEnd(maxBodyBytes, ' '))
    expect(answer.result).toEqual({})
  })
})

describe('a client that leaves', () => {
  test.each([
    ['in the middle of its headers', () => 'POST /mcp HTTP/1.1\r\nHost: 127'],
    ['before its body', () => head({ 'content-length': '100' })],
    ['in the middle of its body', () => `${head({ 'content-length': '100' })}{"jsonrpc":"2.0","id":1,`],
    ['in the middle of a chunk', () => `${head({ 'transfer-encoding': 'chunked' })}100\r\n{"jsonrpc"`],
  ])('%s does no harm', async (_, text) => {
    for (let round = 0; round < 20; round++) {
      const socket = await openSocket()
      socket.write(text())
      if (round % 2 === 0) socket.destroy()
      else socket.resetAndDestroy()
    }
    await expectServing()
  })

  test('in the middle of a call leaves nothing under way, in either era', async () => {
    await hub.add(stdioConnector('slow', [program]))
    for (const era of ['modern', 'legacy']) {
      const params = { name: 'slow__silent', _meta: era === 'modern' ? modernMeta : {} }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const own: Record<string, string> =
        era === 'modern'
          ? { 'mcp-protocol-version': modernRevision, 'mcp-method': 'tools/call', 'mcp-name': 'slow__silent' }
          : {}
      const socket = await openSocket()
      socket.write(head({ 'content-length': String(body.length), ...own }) + body)
      await expectInFlight(1)
      socket.destroy()
      if (era === 'legacy') await client.send('', connection.headers, { method: 'DELETE' })
      await expectInFlight(0)
    }
    connection = await client.connect()
    await hub.api('DELETE', '/api/connectors/slow')
  })
})

describe('what is no HTTP', () => {
  test.each([
    ['a greeting of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc'],
    ['a request line without a version', 'GET\r\n\r\n'],
    ['a header with a control character', 'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\u0000b\r\n\r\n'],
    ['two lengths', 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'],
    [
      'a length and chunks',
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no host', 'GET /mcp HTTP/1.1\r\n\r\n'],
    ['headers without an end', `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(100_000)}`],
  ])('is refused: %s', async (_, text) => {
    const socket = await openSocket()
    socket.write(text, 'latin1')
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})

describe('a client that does not read', () => {
  test('its large answers costs the hub no more than those answers', async () => {
    await hub.add(stdioConnector('slow', [program]))
    const text = 'x'.repeat(900_000)
    const params = { name: 'slow__echo', arguments: { text }, _meta: modernMeta }
    const own = { 'mcp-protocol-version': modernRevision, 'mcp-method': 'tools/call', 'mcp-name': 'slow__echo' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const sockets = await Promise.all(Array.from({ length: 10 }, openSocket))
    for (const socket of sockets) socket.pause().write(head({ 'content-length': String(body.length), ...own }) + body)
    await expectInFlight(0)
    const { message } = await client.callTool('good__echo', { text: 'meanwhile' })
    expect(message.result?.content?.[0]?.text).toBe('meanwhile')
    for (const socket of sockets) socket.destroy()
    await hub.api('DELETE', '/api/connectors/slow')
  })

  test('a flood of notifications is cut off', async () => {
    await hub.add(stdioConnector('loud', [program]))
    const listening = await openSocket()
    listening.pause().write(head({ accept: 'text/event-stream' }, 'GET /mcp HTTP/1.1'))
    const cutOff = once(listening, 'close')
    // Nobody else listens, so that the flood has one place to go.
    const calls = Array.from({ length: 4 }, () => client.callTool('loud__flood-notifications'))
    for (const { message } of await Promise.all(calls)) expect(message.result?.content?.[0]?.text).toBe('good')
    // A paused socket learns of its end only when it reads; what it gets then was on its way before.
    listening.resume()
    await cutOff
    await hub.api('DELETE', '/api/connectors/loud')
  })
})

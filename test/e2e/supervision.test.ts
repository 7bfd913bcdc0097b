import { rm, writeFile } from 'node:fs/promises'
import type { ConnectorInput, LogLine } from '@herma/contract'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createScratch,
  isAlive,
  readJournal,
  scriptedConnector,
  type JournalEntry,
  type Scratch,
} from '../fixtures/scripted-connector.ts'
import { startHttpServer } from '../fixtures/start-http-server.ts'
import { freePort } from './start-everything.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'

let hub: TestHub
let scratch: Scratch
let client: Client

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startTestHub()
  client = await hub.connectV1()
})

afterAll(async () => {
  await hub?.stop()
  await scratch[Symbol.asyncDispose]()
})

/** Adds the scripted server under a name that is also the name of its journal. */
/** Adds a server and returns the process that serves the client; another one has read the lists. */
async function addScripted(name: string, rest: Partial<ConnectorInput> = {}): Promise<number> {
  await hub.add(scriptedConnector(name, scratch.file(name), rest))
  // A server that does not come up has no tool to call.
  await call(`${name}__echo`, { text: 'up' }).catch(() => undefined)
  return (await hub.health(name)).processId ?? 0
}

function call(name: string, args: Record<string, unknown> = {}, from: Client = client): Promise<string> {
  return from.callTool({ name, arguments: args }).then(textOf)
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]!.text
}

function calls(journal: string, tool: string): JournalEntry[] {
  return readJournal(scratch.file(journal)).filter(({ event, name }) => event === 'call' && name === tool)
}

const until = (isSo: () => boolean) => waitFor(() => (isSo() ? true : undefined))
const stateOf = async (name: string) => (await hub.health(name)).state
const untilState = (name: string, wanted: string) =>
  waitFor(async () => ((await stateOf(name)) === wanted ? true : undefined))

describe('a stdio server', () => {
  test('that crashed is started again by the next call', async () => {
    await addScripted('crashing')
    await expect(call('crashing__crash')).rejects.toThrow("'crashing' exited with code 3")
    expect(await call('crashing__echo', { text: 'again' })).toBe('again')
    const { processId, restartCount } = await hub.health('crashing')
    expect(restartCount).toBe(1)
    process.kill(processId!, 'SIGKILL')
    await waitFor(async () => ((await hub.health('crashing')).processId === processId ? undefined : true))
    expect(await call('crashing__echo', { text: 'and again' })).toBe('and again')
    expect((await hub.health('crashing')).restartCount).toBe(2)
  })

  test('that dies during a call has it reported and never gets it twice', async () => {
    const pid = await addScripted('dying')
    const underWay = call('dying__hold')
    await until(() => calls('dying', 'hold').length > 0)
    process.kill(pid, 'SIGKILL')
    await expect(underWay).rejects.toThrow("'dying' was killed by SIGKILL")
    expect(await call('dying__echo', { text: 'next' })).toBe('next')
    expect(calls('dying', 'hold')).toHaveLength(1)
  })

  test('that nobody uses is stopped, stays listed, and starts again when it is called', async () => {
    const pid = await addScripted('idle', { options: { idleTimeoutMs: 300 } })
    await untilState('idle', 'idle')
    await until(() => !isAlive(pid))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('idle__echo')
    expect(await call('idle__echo', { text: 'awake' })).toBe('awake')
    expect(calls('idle', 'echo').at(-1)!.pid).not.toBe(pid)
  })

  test('that never answers the handshake is given up in time, and its process is ended', async () => {
    await addScripted('mute', { args: ['--mute'], options: { handshakeTimeoutMs: 500, maxRestarts: 0 } })
    await untilState('mute', 'failed')
    expect((await hub.health('mute')).lastError?.message).toMatch(/'mute' did not answer initialize within \d+ ms/)
    const { pid } = readJournal(scratch.file('mute'))[0]!
    await until(() => !isAlive(pid))
  })

  test('that keeps failing rests after its last restart, and a change by a person brings it back', async () => {
    const broken = scratch.file('broken-flag')
    const pid = await addScripted('broken', { args: ['--broken', broken], options: { maxRestarts: 1 } })
    await call('broken__echo', { text: 'fine' })
    await writeFile(broken, '')
    process.kill(pid, 'SIGKILL')
    await waitFor(async () => ((await hub.health('broken')).processId === pid ? undefined : true))
    await expect(call('broken__echo')).rejects.toThrow("'broken' exited with code 1")
    expect(await stateOf('broken')).toBe('failed')
    const startsBefore = readJournal(scratch.file('broken')).filter(({ event }) => event === 'started').length
    await expect(call('broken__echo')).rejects.toThrow(/'broken' failed and is tried again in \d+ s/)
    expect(readJournal(scratch.file('broken')).filter(({ event }) => event === 'started')).toHaveLength(startsBefore)
    await rm(broken)
    await hub.api('PATCH', '/api/connectors/broken', { options: { maxRestarts: 2 } })
    expect(await call('broken__echo', { text: 'back' })).toBe('back')
    await hub.api('PATCH', '/api/connectors/broken', { enabled: false })
    expect(await stateOf('broken')).toBe('disabled')
    await hub.api('PATCH', '/api/connectors/broken', { enabled: true })
    expect(await call('broken__echo', { text: 'enabled' })).toBe('enabled')
  })

  test('that is removed is gone with everything it started', async () => {
    const pid = await addScripted('family')
    const inGroup = Number(await call('family__spawn', { detached: false }))
    const apart = Number(await call('family__spawn', { detached: true }))
    expect([pid, inGroup, apart].map(isAlive)).toEqual([true, true, true])
    expect((await hub.api('DELETE', '/api/connectors/family')).status).toBe(204)
    await until(() => ![pid, inGroup, apart].some(isAlive))
  })

  test('shows what it wrote to standard error, without the secrets it was given', async () => {
    await addScripted('talking', { env: [{ name: 'API_TOKEN', value: 'sesame-open-4711' }] })
    await call('talking__say', { text: 'the token is sesame-open-4711, keep it' })
    const text = await waitFor(async () => {
      const { body } = await hub.api('GET', '/api/connectors/talking/logs')
      const { lines } = body as { lines: LogLine[] }
      return lines.find((line) => line.stream === 'stderr' && line.text.startsWith('the token'))?.text
    })
    expect(text).toMatch(/^the token is .+, keep it$/)
    expect(text).not.toContain('sesame')
  })

  test('gets the tokens of its arguments, environment and folder replaced', async () => {
    const args = ['{cwd}', '{server_id}', '{hop_limit}', '{session_id}', '{thread_id}', '{other}']
    await addScripted('tokens', {
      args: ['--', ...args],
      env: [{ name: 'FIXTURE', value: 'in {cwd}' }],
      workingDir: scratch.file(''),
      options: { isolation: 'connection' },
    })
    const folder = scratch.file('').replace(/\/$/, '')
    const who = JSON.parse(await call('tokens__who')) as { args: string[]; cwd: string; fixture: string }
    expect(who.cwd).toBe(folder)
    expect(who.fixture.replace(/\/$/, '')).toBe(`in ${folder}`)
    const given = who.args.map((arg) => arg.replace(/\/$/, ''))
    const [, , , connection = ''] = given
    expect(given).toEqual([folder, 'facade', '', connection, '', '{other}'])
    // What the client shows is sealed, and no business of a server; it begins with what tells connections apart.
    expect(connection).not.toBe('')
    expect((client.transport as StreamableHTTPClientTransport).sessionId).toContain(connection)
  })

  test('is told the server that hosts it, from when it does until it does not', async () => {
    await addScripted('hosted', { args: ['--', '{server_id}'], options: { listed: false } })
    await hub.api('POST', '/api/servers', { name: 'house', connector: 'hosted' })
    const told = async () => {
      const params = { name: 'who', arguments: {} }
      const response = await fetch(`${hub.url}/api/mcp/servers/house/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      return JSON.stringify(await response.json())
    }
    await waitFor(async () => ((await told()).includes('\\"args\\":[\\"house\\"]') ? true : undefined))
    await hub.api('DELETE', '/api/servers/house')
    await hub.api('POST', '/api/servers', { name: 'house' })
    await hub.api('PATCH', '/api/connectors/hosted', { options: { listed: true } })
    const lists = JSON.parse(
      await waitFor(async () => {
        const answer = await call('hosted__who')
        return answer.includes('house') ? undefined : answer
      }),
    ) as { args: string[] }
    expect(lists.args).toEqual(['facade'])
  })
})

describe('isolation=connection', () => {
  test('gives each client a process of its own, which ends with the connection', async () => {
    await addScripted('own', { options: { isolation: 'connection' } })
    const clients = await Promise.all([hub.connectV1({ sampling: {} }), hub.connectV1()])
    const pids = await Promise.all(
      clients.map(async (own) => (JSON.parse(await call('own__who', {}, own)) as { pid: number }).pid),
    )
    expect(new Set(pids).size).toBe(2)
    const told = readJournal(scratch.file('own')).filter(({ event }) => event === 'initialize')
    expect(told.find(({ pid }) => pid === pids[0])?.capabilities).toEqual({ sampling: {} })
    expect(told.find(({ pid }) => pid === pids[1])?.capabilities).toEqual({})
    await (clients[0].transport as StreamableHTTPClientTransport).terminateSession()
    await until(() => !isAlive(pids[0]!))
    expect(isAlive(pids[1]!)).toBe(true)
  })
})

describe('the time limit of a call', () => {
  test('starts again with every sign of progress', async () => {
    await addScripted('working', { options: { requestTimeoutMs: 1500 } })
    const params = { name: 'working__work', arguments: { steps: 10, stepMs: 250 } }
    let events = 0
    const result = await client.callTool(params, undefined, { onprogress: () => void events++ })
    expect(textOf(result)).toBe('worked 10 steps')
    expect(events).toBe(10)
  })

  test('ends a call that takes too long with a clear error and cancels it at the server', async () => {
    await addScripted('silent', { options: { maxRequestMs: 300 } })
    await expect(call('silent__hold')).rejects.toThrow("'silent' did not finish within 300 ms. The call may have run.")
    const [held] = calls('silent', 'hold')
    await until(() => readJournal(scratch.file('silent')).some(({ requestId }) => requestId === held!.id))
    expect(await call('silent__echo', { text: 'still here' })).toBe('still here')
  })
})

describe.each(['legacy', 'modern'] as const)('a %s server over HTTP', (era) => {
  test('that was restarted and forgot the session is used again by the next call', async () => {
    const before = await startHttpServer({ era })
    await hub.add({ name: `restarted-${era}`, transport: 'stream', baseUrl: before.url })
    expect(await call(`restarted-${era}__echo`, { text: 'one' })).toBe('one')
    await before.stop()
    await using after = await startHttpServer({ era, port: before.port })
    expect(await call(`restarted-${era}__echo`, { text: 'two' })).toBe('two')
    expect(after.journal).toEqual(['echo'])
  })

  test('that dies during a call has it reported and never gets it twice', async () => {
    const before = await startHttpServer({ era })
    await hub.add({ name: `broken-${era}`, transport: 'stream', baseUrl: before.url })
    const underWay = call(`broken-${era}__hold`)
    await until(() => before.journal.includes('hold'))
    const failure = expect(underWay).rejects.toThrow(/The call may have run/)
    await before.stop()
    await failure
    await using after = await startHttpServer({ era, port: before.port })
    expect(await call(`broken-${era}__echo`, { text: 'next' })).toBe('next')
    expect(after.journal).toEqual(['echo'])
  })

  test('that was away when its connector was added appears by itself when it comes', async () => {
    const port = await freePort()
    const name = `late-${era}`
    const { health } = await hub.add({ name, transport: 'stream', baseUrl: `http://127.0.0.1:${port}/mcp` })
    expect(health.lastError?.message).toContain('cannot be reached')
    await using _server = await startHttpServer({ era, port })
    await waitFor(async () => {
      const { tools } = await client.listTools()
      return tools.find((tool) => tool.name === `${name}__echo`)
    })
    expect(await call(`${name}__echo`, { text: 'here' })).toBe('here')
  })

  test('is back at once after it was away for several calls', async () => {
    const before = await startHttpServer({ era })
    const name = `away-${era}`
    await hub.add({ name, transport: 'stream', baseUrl: before.url })
    await call(`${name}__echo`, { text: 'one' })
    await before.stop()
    await expect(call(`${name}__echo`, { text: 'lost' })).rejects.toThrow('cannot be reached')
    await expect(call(`${name}__echo`, { text: 'lost' })).rejects.toThrow('cannot be reached')
    await using after = await startHttpServer({ era, port: before.port })
    expect(await call(`${name}__echo`, { text: 'two' })).toBe('two')
    expect(after.journal).toEqual(['echo'])
  })
})

describe.each(['legacy', 'modern'] as const)('a call that a %s client cancels', (clientEra) => {
  /** Calls `hold` and leaves as soon as the server has it. */
  async function leaveDuring(name: string, hasBegun: () => boolean): Promise<void> {
    const leaving = new AbortController()
    const params = { name, arguments: {} }
    const options = { signal: leaving.signal }
    const underWay =
      clientEra === 'legacy'
        ? client.callTool(params, undefined, options)
        : (await hub.connectV2('auto')).callTool(params, options)
    const failure = expect(underWay).rejects.toThrow(/abort/i)
    await until(hasBegun)
    leaving.abort()
    await failure
  }

  test('is cancelled at a stdio server', async () => {
    const name = `cancelled-${clientEra}`
    await addScripted(name)
    await leaveDuring(`${name}__hold`, () => calls(name, 'hold').length > 0)
    const [held] = calls(name, 'hold')
    await until(() => readJournal(scratch.file(name)).some(({ requestId }) => requestId === held!.id))
    expect(await call(`${name}__echo`, { text: 'still here' })).toBe('still here')
  })

  test.each(['legacy', 'modern'] as const)('is cancelled at a %s server over HTTP', async (serverEra) => {
    await using server = await startHttpServer({ era: serverEra })
    const name = `cancelled-${clientEra}-${serverEra}`
    await hub.add({ name, transport: 'stream', baseUrl: server.url })
    await leaveDuring(`${name}__hold`, () => server.journal.includes('hold'))
    await until(() => server.journal.includes('cancelled'))
    expect(await call(`${name}__echo`, { text: 'still here' })).toBe('still here')
  })
})

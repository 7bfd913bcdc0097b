import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundleSource } from '../../packages/hub/src/platform/testing/bundle-source.ts'
import { createTemporaryHome, type TemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, isAlive, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { operatorHeaders } from './operator-headers.ts'
import { databasePid, hubProgram, startHubProcess, type HubProcess } from './start-hub-process.ts'
import { waitFor } from './start-test-hub.ts'
import { textOf, WireClient } from './wire-client.ts'

let home: TemporaryHome
let scratch: Scratch

beforeEach(async () => {
  ;[home, scratch] = await Promise.all([createTemporaryHome(), createScratch()])
})

afterEach(() => Promise.all([home.remove(), scratch[Symbol.asyncDispose]()]))

const stateHome = () => join(home.path, 'state')
const held = () => readJournal(scratch.file('journal')).filter(({ name }) => name === 'hold').length
const hold = { name: 'scripted__hold', arguments: {} }

async function startWithServer(args: readonly string[]): Promise<HubProcess> {
  const hub = await startHubProcess(home.path, { args })
  const response = await fetch(`${hub.url}/api/connectors`, {
    method: 'POST',
    headers: { ...(await operatorHeaders(stateHome())), 'content-type': 'application/json' },
    body: JSON.stringify(scriptedConnector('scripted', scratch.file('journal'))),
  })
  expect(response.status).toBe(201)
  return hub
}

test('a stop waits for running calls, counts them, and sends everybody else away', async () => {
  const hub = await startWithServer(['--grace', '60'])
  const client = await WireClient.connect(hub.endpoint)
  const listening = await client.listen()
  const work = { name: 'scripted__work', arguments: { steps: 1, stepMs: 6000 } }
  const calls = [client.request('tools/call', work), client.request('tools/call', work)]
  await waitFor(
    () => readJournal(scratch.file('journal')).filter(({ name }) => name === 'work').length === 2 || undefined,
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const before = await ping(hub.endpoint, client.id, agent)
  expect([before.status, before.connection]).toEqual([200, 'keep-alive'])
  hub.signal('SIGINT')
  // Who only listens is no running call.
  await listening.rest()
  const refused = await ping(hub.endpoint, client.id, agent)
  expect(refused).toMatchObject({ status: 503, connection: 'close', retryAfter: expect.stringMatching(/^\d+$/) })
  expect((await ping(hub.endpoint, client.id, agent)).status).toBe(503)
  expect((await client.listen()).status).toBe(503)
  expect((await fetch(`${hub.url}/api/connectors`)).status).toBe(503)
  // What running calls may need is taken.
  expect((await client.notify('notifications/cancelled', { requestId: 4711 })).status).toBe(202)
  for (const call of calls) expect(textOf(await call)).toBe('worked 1 steps')
  expect(await hub.exited).toBe(0)
  expect(hub.said()).toContain('2 running calls')
  expect(databasePid(stateHome())).toBeUndefined()
  agent.destroy()
})

test('a call that outlasts the grace is cut; a second Ctrl-C ends at once, and the database with it', async () => {
  {
    const hub = await startWithServer(['--grace', '0.5'])
    const client = await WireClient.connect(hub.endpoint)
    const call = client.request('tools/call', hold).catch((error: unknown) => error)
    await waitFor(() => held() === 1 || undefined)
    hub.signal('SIGTERM')
    expect(await hub.exited).toBe(0)
    await call
    expect(databasePid(stateHome())).toBeUndefined()
  }
  const hub = await startHubProcess(home.path, { args: ['--grace', '600'] })
  const client = await WireClient.connect(hub.endpoint)
  const call = client.request('tools/call', hold).catch((error: unknown) => error)
  await waitFor(() => held() === 2 || undefined)
  const database = databasePid(stateHome())!
  hub.signal('SIGINT')
  // npm passes on what the terminal has sent already: that is no second one.
  hub.signal('SIGINT')
  await waitFor(() => (hub.said().includes('1 running call') ? true : undefined))
  await new Promise((resolve) => setTimeout(resolve, 700))
  hub.signal('SIGINT')
  expect(await hub.exited).toBe(130)
  await call
  await waitFor(() => (isAlive(database) ? undefined : true))
})

test('the database of a killed hub ends by itself, unless the next hub has taken it over', async () => {
  const first = await startHubProcess(home.path)
  const database = databasePid(stateHome())!
  await first.kill()
  const second = await startHubProcess(home.path)
  expect(databasePid(stateHome())).toBe(database)
  // The watchdog of the first would have acted by now.
  await new Promise((resolve) => setTimeout(resolve, 5000))
  expect(isAlive(database)).toBe(true)
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
  await second.kill()
  await waitFor(() => (isAlive(database) ? undefined : true))
  await waitFor(() => (databasePid(stateHome()) === undefined ? true : undefined))
  // And a hub that comes later starts another one.
  await using third = await startHubProcess(home.path)
  expect(databasePid(stateHome())).not.toBe(database)
  expect((await fetch(`${third.url}/readyz`)).status).toBe(200)
})

test('a hub whose reader has gone stops in order', async () => {
  // What `npm start 2>&1 | tee log` and Ctrl-C are: the reader is gone before the hub has said anything about its end.
  const hub = await startHubProcess(home.path, { args: ['--log-level', 'debug'], output: 'pipe' })
  expect(databasePid(stateHome())).toBeDefined()
  hub.closeOutput()
  await fetch(`${hub.url}/mcp`)
  hub.signal('SIGINT')
  expect(await hub.exited).toBe(0)
  expect(databasePid(stateHome())).toBeUndefined()
})

test('herma stop waits as long as it is told', async () => {
  const hub = await startWithServer(['--grace', '600'])
  const client = await WireClient.connect(hub.endpoint)
  const call = client.request('tools/call', hold).catch((error: unknown) => error)
  await waitFor(() => held() === 1 || undefined)
  const env = {
    PATH: process.env['PATH'],
    HOME: home.path,
    HERMA_CONFIG_HOME: home.path,
    HERMA_STATE_HOME: stateHome(),
  }
  const stop: ChildProcess = spawn(process.execPath, [bundleSource(hubProgram), 'stop', '--grace', '1'], { env })
  expect(await once(stop, 'exit')).toEqual([0, null])
  expect(await hub.exited).toBe(0)
  expect(databasePid(stateHome())).toBeUndefined()
  await call
})

interface PingAnswer {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly retryAfter: string | undefined
}

/** A request whose connection is seen. */
function ping(endpoint: URL, id: string, agent: Agent): Promise<PingAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'mcp-session-id': id,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const sent = request(endpoint, { method: 'POST', headers, agent }, (answer) => {
      answer.resume()
      answer.once('end', () =>
        resolve({
          status: answer.statusCode,
          connection: answer.headers.connection,
          retryAfter: answer.headers['retry-after'],
        }),
      )
    })
    sent.once('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  })
}

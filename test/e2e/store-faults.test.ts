import { execFileSync } from 'node:child_process'
import { chmod, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EventPage, type DriftReport, type Problem } from '@herma/contract'
import { listProcesses } from '../../packages/hub/src/platform/process/process-table.ts'
import { prepareState } from '../../packages/hub/src/platform/testing/prepare-state.ts'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { startTcpServer, type TcpServer } from '../../packages/hub/src/platform/testing/test-store.ts'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const isRoot = process.getuid?.() === 0

async function temporaryHome(): Promise<string> {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  return home.path
}

async function ready({ url }: TestHub): Promise<[status: number, text: string]> {
  const response = await fetch(`${url}/readyz`)
  return [response.status, await response.text()]
}

/** A hub on a server that the test may stop, with one server of tools. */
async function startOnServer(): Promise<{ server: TcpServer; hub: TestHub; callTool(): Promise<boolean> }> {
  const server = await startTcpServer()
  onTestFinished(() => server.stop())
  const home = await temporaryHome()
  const hub = await startTestHub({ databaseUrl: server.databaseUrl, stateHome: `${home}/state` })
  onTestFinished(() => hub.stop())
  await hub.add(stdioConnector('memory', [serverProgram('memory')]))
  const client = await hub.connectV1()
  return {
    server,
    hub,
    async callTool() {
      const { isError } = await client.callTool({ name: 'memory__read_graph', arguments: {} })
      return isError !== true
    },
  }
}

async function countCalls(hub: TestHub): Promise<number> {
  const { body } = await hub.api('GET', '/api/traces?kind=call.finished')
  return EventPage.parse(body).events.filter(({ target }) => target?.includes('read_graph') === true).length
}

const patient = { timeout: 40_000, interval: 200 }

/** It reads and writes, though nobody has started it again. */
async function expectToGoOn(hub: TestHub): Promise<void> {
  await expect.poll(() => ready(hub), patient).toEqual([200, 'ready\n'])
  expect((await hub.api('PUT', '/api/secrets/token', { value: 'abc' })).status).toBe(200)
  expect((await hub.api('GET', '/api/secrets')).body).toMatchObject({ secrets: [{ name: 'token' }] })
}

function childrenOf(pid: number): number[] {
  return listProcesses().flatMap((each) => (each.parent === pid ? [each.pid] : []))
}

test('a store that is away gives 503 with the cause, and the hub goes on when it is back', async () => {
  const { server, hub, callTool } = await startOnServer()
  expect(await ready(hub)).toEqual([200, 'ready\n'])
  expect(await callTool()).toBe(true)
  await expect.poll(() => countCalls(hub), patient).toBe(1)
  await server.pause()
  const { status, body } = await hub.api('GET', '/api/traces')
  const { error } = body as Problem
  expect([status, error.code]).toEqual([503, 'STORE_UNAVAILABLE'])
  expect(error.message).toMatch(/^The store cannot be used: .*the hub goes on by itself\.$/)
  expect(error.message).not.toContain('Failed query')
  expect(await ready(hub)).toEqual([503, expect.stringMatching(/^The store cannot be used: /)])
  // What needs no store is answered all the same.
  expect((await fetch(`${hub.url}/healthz`)).status).toBe(200)
  expect(await callTool()).toBe(true)
  await server.goOn()
  await expectToGoOn(hub)
  // What was to be recorded while it was away is recorded now.
  await expect.poll(() => countCalls(hub), patient).toBe(2)
})

test('a store that hangs makes the hub not ready, and who waited is answered when it goes on', async () => {
  const { server, hub, callTool } = await startOnServer()
  const processes = [server.pid(), ...childrenOf(server.pid())]
  const signalAll = (signal: NodeJS.Signals) => processes.forEach((pid) => process.kill(pid, signal))
  signalAll('SIGSTOP')
  const waiting = hub.api('GET', '/api/traces')
  try {
    expect(await ready(hub)).toEqual([503, expect.stringMatching(/^The store cannot be used: it does not answer\./)])
    expect(await callTool()).toBe(true)
  } finally {
    signalAll('SIGCONT')
  }
  expect((await waiting).status).toBe(200)
  await expectToGoOn(hub)
})

test('a store that only reads makes the hub not ready, with the cause, until it may be written', async () => {
  const { server, hub, callTool } = await startOnServer()
  const isReadOnly = async (value: 'on' | 'off') => {
    await server.administer(`alter system set default_transaction_read_only = ${value}`)
    await server.administer('select pg_reload_conf()')
  }
  await isReadOnly('on')
  await expect
    .poll(() => ready(hub), patient)
    .toEqual([
      503,
      'The store cannot be used: it is read-only. It only reads: DATABASE_URL has to lead to a server that may be written.\n',
    ])
  // Who only asks gets an answer; who changes something hears why not.
  expect((await hub.api('GET', '/api/traces')).status).toBe(200)
  const refused = await hub.api('PUT', '/api/secrets/token', { value: 'abc' })
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'STORE_UNAVAILABLE' } } })
  expect((refused.body as Problem).error.message).toContain('It only reads')
  expect(await callTool()).toBe(true)
  await isReadOnly('off')
  await expectToGoOn(hub)
})

test('a second hub with another master key does not start on the database of the first', async () => {
  const server = await startTcpServer()
  onTestFinished(() => server.stop())
  const [one, two] = [await temporaryHome(), await temporaryHome()]
  const { databaseUrl } = server
  await using first = await startTestHub({ databaseUrl, stateHome: `${one}/state` })
  await first.api('PUT', '/api/secrets/token', { value: 'abc' })
  await expect(startTestHub({ databaseUrl, stateHome: `${two}/state` })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/belongs to a hub with another master key.*Set HERMA_KEY_FILE to the key/s),
  })
  // With the key of the first it does.
  const keyFile = join(one, 'state', 'key')
  await using second = await startTestHub({ databaseUrl, stateHome: `${two}/state`, keyFile })
  expect(await ready(second)).toEqual([200, 'ready\n'])
})

test('a state home that cannot be written is one sentence', async (context) => {
  const home = await temporaryHome()
  if (isRoot) {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', home], { stdio: 'pipe' })
    } catch {
      return context.skip('This container does not allow mounting, and root may write everywhere else.')
    }
    onTestFinished(() => void execFileSync('umount', ['-l', home]))
  } else {
    await chmod(home, 0o500)
    onTestFinished(() => chmod(home, 0o700))
  }
  await expect(startTestHub({ stateHome: home })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(
      /^The state home \S+ (is on a file system that is mounted read-only|may not be written by this user)\. Make it writable, or set HERMA_STATE_HOME to a folder that you may write\.$/,
    ),
  })
})

test('a full disk makes the hub not ready, with the cause, until there is space', async (context) => {
  if (!isRoot || process.platform !== 'linux') return context.skip('Only root on Linux may mount a small disk.')
  const home = await temporaryHome()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=0711', 'tmpfs', home], { stdio: 'pipe' })
  } catch {
    return context.skip('This container does not allow mounting a small disk.')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', home]))
  await prepareState(home)
  await using hub = await startTestHub({ stateHome: home })
  expect(await ready(hub)).toEqual([200, 'ready\n'])
  const { bavail, bsize } = await statfs(home)
  const filling = join(home, 'filling')
  // The store writes too meanwhile; what fits is enough.
  await writeFile(filling, Buffer.alloc(bavail * bsize)).catch(() => undefined)
  await expect
    .poll(() => ready(hub), { timeout: 40_000, interval: 500 })
    .toEqual([
      503,
      expect.stringMatching(/^The store cannot be used: .*No space left on device.* free some space there\.\n$/),
    ])
  await rm(filling)
  await expect.poll(() => ready(hub), { timeout: 40_000, interval: 500 }).toEqual([200, 'ready\n'])
})

test('the live catalog is compared on a hub whose facade wants a key', async () => {
  await using hub = await startTestHub()
  await hub.add(stdioConnector('memory', [serverProgram('memory')]))
  await hub.api('PATCH', '/api/servers/facade', { access: 'required' })
  expect((await fetch(hub.endpoint, { method: 'POST' })).status).toBe(401)
  const { status, body } = await hub.api('GET', '/api/catalog/drift')
  expect(status).toBe(200)
  expect(body as DriftReport).toMatchObject({ hasDrift: false, counts: { missing: 0, extra: 0, changed: 0 } })
  expect((body as DriftReport).live.tools).toBeGreaterThan(3)
})

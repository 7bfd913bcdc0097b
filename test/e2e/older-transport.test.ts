import { dirname } from 'node:path'
import type { TestReport } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { prepareState } from '../../packages/hub/src/platform/testing/prepare-state.ts'
import { startOlderServer, type OlderServer } from '../fixtures/start-older-server.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let home: Awaited<ReturnType<typeof createTemporaryHome>>
const statuses = [404, 405, 400]
const servers = new Map<number, OlderServer>()

beforeAll(async () => {
  home = await createTemporaryHome()
  await prepareState(`${home.path}/state`)
  hub = await start()
  for (const status of statuses) servers.set(status, await startOlderServer(status))
})
afterAll(async () => {
  await hub?.stop()
  await Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]()))
  await home?.remove()
})

function start(): Promise<TestHub> {
  return startTestHub({ configHome: home.path, stateHome: `${home.path}/state` })
}

async function echo(name: string): Promise<unknown> {
  const client = await hub.connectV1()
  return (await client.callTool({ name: `${name}__echo`, arguments: { text: 'hello' } })).content
}

test.each(statuses)('an address that answers a post with %i is tried as HTTP+SSE by itself', async (status) => {
  const { url, requests } = servers.get(status)!
  const { health } = await hub.add({ name: `older-${status}`, transport: 'stream', baseUrl: url })
  expect(health).toMatchObject({ state: 'ready', era: 'legacy', transport: 'sse', lastError: null })
  expect(await echo(`older-${status}`)).toEqual([{ type: 'text', text: 'hello' }])
  // Both eras were asked once, and every later link knows.
  expect(requests.filter((each) => each === 'POST /sse')).toHaveLength(2)
})

test('the test of a connector finds it too, and show says so', async () => {
  const report = (await hub.api('POST', '/api/connectors/older-405/test', {})).body as TestReport
  expect(report).toMatchObject({ ok: true, cause: null })
  expect(report.stages.find(({ name }) => name === 'handshake')?.detail).toContain('over HTTP+SSE')
  const env = { HERMA_CONFIG_HOME: dirname(`${home.path}/state`), HERMA_STATE_HOME: `${home.path}/state` }
  const { terminal, written } = captureTerminal({ env })
  expect(await runCli(['show', 'older-405'], terminal)).toBe(0)
  expect(written.out).toMatch(/^Transport +stream, found to be HTTP\+SSE$/m)
})

test('it is remembered over a restart, and forgotten when the server has moved on', async () => {
  const older = servers.get(405)!
  const newer = servers.get(404)!
  await hub.stop()
  older.requests.length = 0
  newer.speaks = 'stream'
  hub = await start()
  const ready = (name: string) =>
    waitFor(async () => ((await hub.health(name)).state === 'ready' ? hub.health(name) : undefined))
  expect(await ready('older-405')).toMatchObject({ transport: 'sse' })
  expect(older.requests).not.toContain('POST /sse')
  expect(await ready('older-404')).toMatchObject({ transport: 'stream' })
  expect(await echo('older-404')).toEqual([{ type: 'text', text: 'hello' }])
})

test('an address where there is neither is refused for both reasons', async () => {
  const url = servers.get(405)!.url.replace('/sse', '/nothing')
  const { health } = await hub.add({ name: 'nothing', transport: 'stream', baseUrl: url })
  expect(health.lastError?.message).toMatch(
    /answered HTTP 405.* is the path right\?.* answered HTTP 405 to .* event stream/,
  )
  expect(health.transport).toBeNull()
  await hub.api('DELETE', '/api/connectors/nothing')
})

test('a connector that is of the modern era, or plain HTTP, stays what it is', async () => {
  const { url } = servers.get(405)!
  const options = { era: 'modern' as const }
  const modern = await hub.add({ name: 'modern', transport: 'stream', baseUrl: url, options })
  const plain = await hub.add({ name: 'plain', transport: 'http', baseUrl: url })
  for (const { health } of [modern, plain]) expect(health.lastError?.message).toContain('answered HTTP 405')
})

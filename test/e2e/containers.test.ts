import { fileURLToPath } from 'node:url'
import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup, ConnectorView } from '@herma/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { installEngine, type InstalledEngine } from '../fixtures/container-engine/install-engine.ts'
import { operatorHeaders } from './operator-headers.ts'
import { startHubProcess } from './start-hub-process.ts'
import { startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const burglar = fileURLToPath(new URL('attacks/burglar-server.mjs', import.meta.url))
const stubborn = fileURLToPath(new URL('../fixtures/container-engine/stubborn-server.mjs', import.meta.url))
const realPath = process.env['PATH'] ?? ''

let engine: InstalledEngine
let hub: TestHub

beforeAll(async () => {
  engine = await installEngine(['docker'])
  await engine.addImage('mcp/burglar', burglar)
  hub = await startTestHub()
})
afterAll(async () => {
  await hub.stop()
  await engine[Symbol.asyncDispose]()
})

async function herma(...words: string[]) {
  const env = { HERMA_CONFIG_HOME: join(hub.stateHome, '..'), HERMA_STATE_HOME: hub.stateHome }
  const { terminal, written } = captureTerminal({ env })
  const code = await runCli(words, terminal)
  return { code, ...written }
}

test('an image is added, shown, changed and removed, as the guide says', async () => {
  const folder = join(hub.stateHome, '..', 'notes')
  await mkdir(folder)
  const container = ['--isolation', 'container', '--image', 'mcp/burglar', '--network', 'bridge']
  const added = await herma('add', 'boxed', ...container, '--mount', `${folder}:/notes:rw`)
  expect(added).toMatchObject({ code: 0 })
  expect(added.out).toContain("Added 'boxed'. It offers 6 tools.")

  const { out } = await herma('show', 'boxed')
  expect(out).toMatch(/Command +mcp\/burglar\n/)
  expect(out).toMatch(/Isolated +runs in a container of mcp\/burglar\n/)
  expect(out).toContain(`reads and writes ${folder} as /notes`)
  expect(out).toContain("the network 'bridge', and all that can be reached from it")
  expect(engine.journal('run').at(-1)!.flags.mount).toEqual([`type=bind,source=${folder},target=/notes`])

  await herma('edit', 'boxed', '--memory', '512', '--cpus', '0.5', '--network', 'none')
  const shown = (await hub.api('GET', '/api/connectors/boxed')).body as ConnectorView
  expect(shown.isolation).toMatchObject({ image: 'mcp/burglar', network: 'none', memoryMb: 512, cpus: 0.5 })
  expect(shown.touches!.isolated).toContain('no network')
  expect((await herma('test', 'boxed')).out).toContain('runs in mcp/burglar on docker')

  const backup = (await hub.api('GET', '/api/backup')).body as Backup
  expect(JSON.stringify(backup)).toContain('"memoryMb":512')

  await herma('remove', 'boxed')
  await expect.poll(() => engine.containers()).toEqual([])
})

test('what fetches its package is told that it needs a network', async () => {
  const added = await herma('add', 'lonely', '--isolation', 'container', '--', 'npx', '-y', 'some-server')
  expect(added.out + added.error).toContain("'lonely' has no network, and 'npx' fetches its package from there.")
  await herma('remove', 'lonely')
  const other = await herma('add', 'other', '--isolation', 'container', '--', 'my-server')
  expect(other.error).toContain("Name the image that 'my-server' runs in: only npx and uvx have one by themselves.")
})

test('where no engine answers, the connector says so and the others are served', async () => {
  const path = process.env['PATH']
  process.env['PATH'] = '/nowhere'
  onTestFinished(() => void (process.env['PATH'] = path))
  const { health } = await hub.add(
    stdioConnector('stranded', [burglar], { isolation: { type: 'container', image: 'a' } }),
  )
  expect(health.lastError!.message).toContain(
    'docker is not on the PATH of the hub; podman is not on the PATH of the hub',
  )
  expect((await hub.add(stdioConnector('plain', [burglar]))).health.state).toBe('ready')
})

test('what a killed hub left behind is removed when it starts again', async () => {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  const first = await startHubProcess(home.path)
  // It goes on without its client and without anybody to read from, as a container of a killed hub may.
  await engine.addImage('mcp/stubborn', stubborn)
  const isolation = { type: 'container', image: 'mcp/stubborn' }
  const headers = { ...(await operatorHeaders(join(home.path, 'state'))), 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'stubborn', transport: 'stdio', isolation })
  const answer = await fetch(`${first.url}/api/connectors`, { method: 'POST', headers, body })
  expect(answer.status).toBe(201)
  await waitFor(async () => (await engine.containers()).some((name) => name.startsWith('herma-stubborn')) || undefined)
  const left = (await engine.containers()).find((name) => name.startsWith('herma-stubborn'))
  await first.kill()
  await using _second = await startHubProcess(home.path)
  await expect.poll(() => engine.containers(), { timeout: 20_000 }).not.toContain(left)
})

test('a real engine runs it, where there is one', async () => {
  const outside = realPath
  const run = (words: string[]) =>
    spawnSync('docker', words, { encoding: 'utf8', env: { ...process.env, PATH: outside } })
  const image = 'node:22-slim'
  const isReady = run(['version']).status === 0 && run(['image', 'inspect', image]).status === 0
  if (!isReady) {
    process.stderr.write(`COULD NOT RUN: a server in a real container, because no Docker with ${image} answers here.\n`)
    return
  }
  const path = process.env['PATH']
  process.env['PATH'] = outside
  onTestFinished(() => void (process.env['PATH'] = path))
  const mounts = [{ source: burglar, target: '/server.mjs' }]
  const isolation = { type: 'container', image, mounts } as const
  await hub.add({ name: 'real', transport: 'stdio', cmd: 'node', args: ['/server.mjs'], isolation })
  const client = await hub.connectV1()
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    JSON.stringify((await client.callTool({ name: `real__${name}`, arguments: args })).content)
  expect(await call('user')).not.toContain('"0 0')
  expect(await call('read', { path: join(hub.stateHome, 'operator-token') })).toContain('ENOENT')
  expect(await call('shell', { script: 'echo x > /new; ls /sys/class/net' })).toMatch(/Read-only.*lo/s)
})

import { open, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { ConnectorInput, ConnectorView } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installEngine, type InstalledEngine } from '../../fixtures/container-engine/install-engine.ts'
import { stdioConnector } from '../start-test-hub.ts'
import { startAttackHub, type AttackHub } from './start-attack-hub.ts'
import { waysToTheState } from './ways-to-the-state.ts'

const program = fileURLToPath(new URL('burglar-server.mjs', import.meta.url))
const canary = 'canary-of-the-hub-5d1e'
const isLinux = process.platform === 'linux'

let engine: InstalledEngine
let hub: AttackHub
let client: Client
let state: string
let token: string

const burglar = (name: string, rest: Partial<ConnectorInput> = {}) => stdioConnector(name, [program], rest)

beforeAll(async () => {
  process.env['HERMA_CANARY_SECRET'] = canary
  engine = await installEngine(['docker'])
  hub = await startAttackHub()
  state = await realpath(hub.stateHome)
  token = (await readFile(join(state, 'operator-token'), 'utf8')).trim()
  await hub.add(burglar('guest'))
  await hub.add(burglar('friend', { isolation: { type: 'none' } }))
  client = await hub.connectV1()
})
afterAll(async () => {
  await hub.stop()
  await engine[Symbol.asyncDispose]()
  delete process.env['HERMA_CANARY_SECRET']
})

async function call(tool: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name: tool, arguments: args })
  return (result.content as { text: string }[])[0]!.text
}

async function view(name: string): Promise<ConnectorView> {
  return (await hub.api('GET', `/api/connectors/${name}`)).body as ConnectorView
}

/** Where the machine gives no way, the connector says so; and this says loudly that nothing was proved. */
async function isHidden(): Promise<boolean> {
  const { touches } = await view('guest')
  const hidden = touches!.isolated.some((line) => line.startsWith('the state of the hub'))
  if (hidden) return true
  expect(touches!.open.join('\n')).toMatch(/the state of the hub: .* \(not hidden: /)
  process.stderr.write(`COULD NOT RUN: that the state of the hub is hidden, because ${touches!.open[0]}\n`)
  return false
}

test('a server has no variable of the hub but the usual ones', async () => {
  for (const name of ['guest', 'friend']) expect(await call(`${name}__environment`)).not.toContain(canary)
})

test.runIf(isLinux)('a server has nothing of what the hub has open', async () => {
  await using _file = await open(join(state, 'open-in-the-hub'), 'w')
  const found = (await call('guest__descriptors')).split('\n').filter((line) => line.startsWith('/'))
  expect(found.filter((line) => line.startsWith(state) || !/^\/(proc|dev)\//.test(line))).toEqual([])
})

test.runIf(isLinux)('a server reads neither token nor key nor database of the hub, on whichever way', async () => {
  // What is not isolated can: else this test would prove nothing.
  expect(await call('friend__read', { path: join(state, 'operator-token') })).toContain(token)
  if (!(await isHidden())) return
  expect(await call('guest__list', { path: state })).toBe('')
  for (const name of ['operator-token', 'key', 'postgres/data/postgresql.conf', 'hub.json'])
    expect(await call('guest__read', { path: join(state, name) })).toMatch(/ENOENT/)
  for (const script of waysToTheState(state)) {
    const answer = await call('guest__shell', { script })
    expect(answer, script).not.toContain(token)
    expect(answer, script).not.toContain(canary)
    expect(answer, script).not.toContain('postgresql.conf')
  }
})

test.runIf(isLinux)('what hides the state obeys no variable of the connector', async () => {
  if (!(await isHidden())) return
  const env = [
    { name: 'PATH', value: `/nowhere:${process.env['PATH']}` },
    { name: 'LD_PRELOAD', value: '/nowhere/evil.so' },
    { name: 'BASH_FUNC_mount%%', value: '() { :; }' },
    { name: 'ENV', value: '/nowhere/evil.sh' },
  ]
  await hub.add(burglar('preloaded', { env }))
  expect(await call('preloaded__read', { path: join(state, 'operator-token') })).toMatch(/ENOENT/)
  // The server itself gets what it was given.
  expect(JSON.parse(await call('preloaded__environment'))).toMatchObject({ LD_PRELOAD: '/nowhere/evil.so' })
})

test.runIf(isLinux)(
  'a server that works in the state home is refused, since its folder would lead past what hides it',
  async () => {
    if (!(await isHidden())) return
    const { health } = await hub.add(burglar('inside', { workingDir: state }))
    expect(health.lastError!.message).toContain('which is in the state home and so hidden from it')
  },
)

test.runIf(isLinux && process.getuid?.() === 0)(
  'a server runs as another user, without the groups of the hub',
  async () => {
    const { health } = await hub.add(burglar('stranger', { isolation: { type: 'process', user: '54321:54321' } }))
    expect(health.lastError).toBe(null)
    expect(await call('stranger__user')).toBe('54321 54321 54321')
    expect(await call('stranger__read', { path: join(state, 'operator-token') })).toMatch(/ENOENT|EACCES/)
    expect(await call('stranger__shell', { script: 'echo x > "$HOME/mine" && cat "$HOME/mine"' })).toBe('x\n')
    for (const user of ['root', 'nobody', 'no-such-user']) {
      const refused = await hub.add(burglar(`as-${user}`, { isolation: { type: 'process', user } }))
      expect(refused.health.lastError?.message).toMatch(/is root|owns the database|no such user/)
    }
  },
)

test('the page and the API say what a server may touch', async () => {
  const guest = await view('guest')
  expect(guest.isolation).toBe(null)
  expect(guest.touches!.isolated.join('\n')).toContain('the environment of the hub')
  const friend = await view('friend')
  expect(friend.touches!.open.join('\n')).toContain('(not hidden: isolation is none)')
})

test('a container gets its variables past the command line, and is gone with its connector', async () => {
  const secret = 'sesame-in-the-container'
  const isolation = { type: 'container', image: 'test/any', network: 'none' } as const
  const env = [{ name: 'API_TOKEN', value: secret, secret: true }]
  const { health, touches } = await hub.add(burglar('boxed', { isolation, env }))
  expect(health.lastError).toBe(null)
  expect(touches!.isolated).toContain('no network')
  const environment = await call('boxed__environment')
  expect(JSON.parse(environment)).toMatchObject({ API_TOKEN: secret, HOME: '/tmp' })
  expect(environment).not.toContain(canary)
  const [run] = engine.journal('run').slice(-1)
  expect(run!.argv.join(' ')).not.toContain(secret)
  expect(run!.flags).toMatchObject({ 'read-only': true, network: 'none', 'cap-drop': 'ALL' })
  await hub.api('DELETE', '/api/connectors/boxed')
  await expect.poll(() => engine.containers()).toEqual([])
})

test('a container that could not be kept apart does not run', async () => {
  const mount = (source: string): ConnectorInput['isolation'] => ({
    type: 'container',
    image: 'test/any',
    mounts: [{ source }],
  })
  const runs = engine.journal('run').length
  for (const [index, source] of [state, '/', '/proc'].entries()) {
    const { health } = await hub.add(burglar(`mounted-${index}`, { isolation: mount(source) }))
    expect(health.lastError!.message).toMatch(/holds the state of the hub|leads out of every container/)
  }
  expect(engine.journal('run')).toHaveLength(runs)
})

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  BundleView,
  ClientConfigView,
  ConnectorView,
  DiscoveryPlan,
  DiscoveryReport,
  RegistryPage,
} from '@herma/contract'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { createTemporaryHome, type TemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { startFakeRegistry, type FakeRegistry } from '../fixtures/fake-registry/start-fake-registry.ts'
import { dumpDatabase } from './canary/dump-database.ts'
import { findInFiles } from './canary/find-in-files.ts'
import { startCatalogHub, textIn, type CatalogHub } from './start-catalog-hub.ts'
import { waitFor } from './start-test-hub.ts'

const canary = { env: 'canary-env-55219037', argument: 'canary-argument-88120461', client: 'canary-client-31990772' }
const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH, HOME } = process.env

let home: TemporaryHome
let hub: CatalogHub
let registry: FakeRegistry
/** Everything that the hub answered. */
const answers: string[] = []

const ask = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await hub.ask<Body>(method, path, body)
  answers.push(JSON.stringify(answer))
  return answer
}

async function herma(...words: string[]) {
  const env = { HERMA_CONFIG_HOME: hub.configHome, HERMA_STATE_HOME: hub.stateHome }
  const { terminal, written } = captureTerminal({ env })
  const code = await runCli(words, terminal)
  answers.push(written.out, written.error)
  return { code, ...written }
}

beforeAll(async () => {
  home = await createTemporaryHome()
  const version = await versionOf('memory')
  registry = await startFakeRegistry([
    memoryEntry(version),
    { name: 'io.example/only-desktop', version: '1', packages: [] },
  ])
  await putNpx(join(home.path, 'bin'))
  process.env['PATH'] = `${join(home.path, 'bin')}${delimiter}${PATH}`
  process.env['HOME'] = home.path
  await mkdir(join(home.path, '.cursor'))
  await writeFile(join(home.path, '.cursor/mcp.json'), JSON.stringify(cursorFile))
  hub = await startCatalogHub()
  await ask('PUT', '/api/discovery/settings', { registries: [registry.url] })
})

afterAll(async () => {
  process.env['PATH'] = PATH
  process.env['HOME'] = HOME
  await hub?.stop()
  await registry?.[Symbol.asyncDispose]()
  await home?.remove()
})

const cursorFile = {
  mcpServers: {
    notes: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'], env: { API_TOKEN: canary.client } },
    hub: { command: 'npx', args: ['herma', 'stdio'] },
  },
}

const memoryEntry = (version: string) => ({
  name: 'io.example/memory',
  title: 'Memory',
  description: 'Remembers\u200B things.',
  version,
  repository: { url: 'https://git.example/memory', source: 'github' },
  packages: [
    {
      registryType: 'npm',
      identifier: '@modelcontextprotocol/server-memory',
      version,
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'named', name: '--key', isSecret: true, isRequired: true, description: 'Yours' }],
      environmentVariables: [
        { name: 'MEMORY_FILE_PATH', format: 'filepath', isRequired: true },
        { name: 'API_TOKEN', isSecret: true, isRequired: true },
      ],
    },
  ],
})

test('a server of a registry is found, planned, installed, called and removed without a trace', async () => {
  const page = await ask<RegistryPage>('GET', '/api/discovery/registry?query=memory')
  expect(page).toMatchObject({ registry: registry.url, nextCursor: null, skipped: 0 })
  const [server] = page.servers
  expect(server).toMatchObject({ title: 'Memory', description: 'Remembers things.', connectors: [] })
  expect(server?.options[0]?.command).toMatch(/^npx -y @modelcontextprotocol\/server-memory@\S+ --key <--key>$/)

  const source = { kind: 'registry', name: 'io.example/memory' }
  const empty = await ask<DiscoveryPlan>('POST', '/api/discovery/plan', { source })
  expect(empty.missing).toEqual(['argument:--key', 'env:MEMORY_FILE_PATH', 'env:API_TOKEN'])
  expect(await ask('POST', '/api/discovery/install', { source })).toMatchObject({
    status: 'failed',
    errors: expect.arrayContaining(['API_TOKEN needs a value (env:API_TOKEN).']),
  })
  const values = {
    'argument:--key': canary.argument,
    'env:MEMORY_FILE_PATH': join(home.path, 'memory.jsonl'),
    'env:API_TOKEN': canary.env,
  }
  const request = { source, values, name: 'recall' }
  const plan = await ask<DiscoveryPlan>('POST', '/api/discovery/plan', request)
  expect(plan).toMatchObject({ isReady: true, secrets: ['recall-key'], programs: [{ name: 'npx' }] })
  expect(plan.connectors[0]).toMatchObject({ action: 'add', name: 'recall', secrets: ['API_TOKEN', 'recall-key'] })
  expect(plan.connectors[0]?.command).toContain('--key {secret:recall-key}')
  expect(plan.connectors[0]?.touches?.isolated.join()).toContain('the environment of the hub')
  const isolation = { type: 'container', network: 'bridge' }
  const boxed = await ask<DiscoveryPlan>('POST', '/api/discovery/plan', { ...request, isolation })
  // Its programs are those of the image.
  expect(boxed).toMatchObject({ isReady: true, programs: [] })
  expect(boxed.connectors[0]?.touches?.isolated).toContain('runs in a container of node:22-slim')
  expect(boxed.connectors[0]?.touches?.open).toContain("the network 'bridge', and all that can be reached from it")
  const report = await ask<DiscoveryReport>('POST', '/api/discovery/install', request)
  expect(report).toMatchObject({ status: 'ok', details: { added: ['recall'], secrets: ['recall-key'] }, errors: [] })
  expect(report.commands_run).toEqual([plan.connectors[0]?.command])

  const client = await hub.connect('modern')
  expect(textIn(await client.call('recall__read_graph'))).toContain('entities')
  const again = await ask<DiscoveryPlan>('POST', '/api/discovery/plan', request)
  expect(again.conflicts.join(' ')).toMatch(/'recall' already\. Choose another name/)
  const found = await ask<RegistryPage>('GET', '/api/discovery/registry?query=memory')
  expect(found.servers[0]?.connectors).toEqual(['recall'])
  await expectNoCanary()

  const removal = { kind: 'connector', name: 'recall' }
  expect(await ask('POST', '/api/discovery/remove-plan', removal)).toMatchObject({ secrets: ['recall-key'] })
  expect(await ask('POST', '/api/discovery/remove', removal)).toMatchObject({ details: { removed: ['recall'] } })
  expect(await ask('GET', '/api/secrets')).toEqual({ secrets: [] })
  expect(await ask('GET', '/api/connectors')).toEqual({ connectors: [] })
})

test('a program that is missing stops an install before anything is changed', async () => {
  const before = process.env['PATH']
  process.env['PATH'] = join(home.path, 'nowhere')
  try {
    const source = { kind: 'bundle', name: 'starter' }
    const body = { source, values: { folder: home.path } }
    const report = await ask<DiscoveryReport>('POST', '/api/discovery/install', body)
    expect(report).toMatchObject({ status: 'failed', files_updated: [] })
    expect(report.errors.join(' ')).toMatch(/'npx' is not on the PATH of the hub\. Install Node\.js/)
    expect(await ask('GET', '/api/connectors')).toEqual({ connectors: [] })
  } finally {
    process.env['PATH'] = before
  }
})

test('the starter bundle brings its servers and tool, and leaves nothing but what was changed', async () => {
  const notes = join(home.path, 'notes')
  await mkdir(notes)
  await writeFile(join(notes, 'a.txt'), 'first line\n')
  expect((await herma('bundle', 'show', 'starter')).out).toMatch(/workspace_fs_read[^]*--value folder=/)
  const refused = await herma('bundle', 'install', 'starter', '--yes')
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('These values are missing')])
  const installed = await herma('bundle', 'install', 'starter', '--value', `folder=${notes}`, '--yes')
  expect(installed).toMatchObject({
    code: 0,
    out: expect.stringContaining('Added: files, memory, thinking, everything'),
  })

  const client = await hub.connect('legacy')
  await waitFor(async () => ((await client.names()).includes('workspace_fs_read') ? true : undefined))
  const read = await client.call('workspace_fs_read', { operation: 'cat', path: join(notes, 'a.txt') })
  expect(textIn(read)).toContain('first line')
  expect(await client.names()).not.toContain('files__read_text_file')
  const [starter] = (await ask<{ bundles: BundleView[] }>('GET', '/api/discovery/bundles')).bundles
  expect(starter).toMatchObject({ name: 'starter', state: 'installed', isShipped: true })
  const twice = await herma('bundle', 'install', 'starter', '--value', `folder=${notes}`, '--yes')
  expect([twice.code, twice.out]).toEqual([1, expect.stringContaining('is there already')])

  await ask('PATCH', '/api/connectors/memory', { env: [{ name: 'MINE', value: '1' }] })
  const plan = await herma('bundle', 'remove', 'starter', '--plan')
  expect(plan.out).toMatch(/keep +connector memory .*It was changed since it was installed/)
  expect((await herma('bundle', 'remove', 'starter', '--yes')).out).toMatch(
    /Removed: files, thinking, everything\nKept: memory/,
  )
  const { connectors } = await ask<{ connectors: ConnectorView[] }>('GET', '/api/connectors')
  expect(connectors.map(({ name }) => name)).toEqual(['memory'])
  await waitFor(async () => ((await client.names()).includes('workspace_fs_read') ? undefined : true))
  await expect(readFile(join(hub.configHome, 'bundles/starter/catalog.json'))).rejects.toThrow(/ENOENT/)
  const [left] = (await ask<{ bundles: BundleView[] }>('GET', '/api/discovery/bundles')).bundles
  expect(left?.state).toBe('available')
  await ask('POST', '/api/discovery/remove', { kind: 'connector', name: 'memory' })
})

test('a bundle leaves a connector of one’s own as it is, before and after', async () => {
  await ask('POST', '/api/connectors', { name: 'memory', transport: 'stdio', cmd: 'my-memory' })
  const values = ['--value', `folder=${home.path}`]
  const plan = await herma('bundle', 'install', 'starter', ...values, '--plan')
  expect(plan.out).toMatch(/keep +connector memory .*You have one of this name\. It stays as it is/)
  const installed = await herma('bundle', 'install', 'starter', ...values, '--yes')
  expect(installed).toMatchObject({ code: 0, out: expect.stringContaining('Added: files, thinking, everything') })
  expect((await herma('bundle', 'remove', 'starter', '--yes')).out).toContain('Removed: files, thinking, everything')
  const { connectors } = await ask<{ connectors: ConnectorView[] }>('GET', '/api/connectors')
  expect(connectors).toMatchObject([{ name: 'memory', cmd: 'my-memory' }])
  await ask('DELETE', '/api/connectors/memory')
})

test('a bundle of a folder is checked, and a step that fails undoes those before it', async () => {
  const folder = join(home.path, 'mine')
  await mkdir(folder)
  const write = (manifest: object) => writeFile(join(folder, 'bundle.json'), JSON.stringify(manifest))
  await write({
    schemaVersion: 1,
    name: 'mine',
    title: 'Mine',
    connectors: [{ name: 'a', transport: 'stdio', cmd: 'npx', args: ['{need:x}'] }],
  })
  const source = { kind: 'bundle', name: 'mine', folder }
  const bad = await hub.api('POST', '/api/discovery/plan', { source })
  expect([bad.status, JSON.stringify(bad.body)]).toEqual([422, expect.stringContaining("'needs' has no 'x'")])
  const connector = { transport: 'stdio', cmd: process.execPath, args: ['-e', ''] }
  await write({ schemaVersion: 1, name: 'mine', title: 'Mine', connectors: [{ name: 'b', ...connector }] })
  await writeFile(join(hub.configHome, 'bundles/mine'), 'in the way')
  expect(await ask('POST', '/api/discovery/install', { source })).toMatchObject({
    status: 'failed',
    errors: [expect.stringMatching(/E\w+/)],
  })
  expect(await ask('GET', '/api/connectors')).toEqual({ connectors: [] })
})

test('servers of a client are shown without their secrets, and taken over', async () => {
  const { clients } = await ask<{ clients: ClientConfigView[] }>('GET', '/api/discovery/clients')
  const cursor = clients.find(({ id }) => id === 'cursor')
  expect(cursor?.servers.map(({ name, state, env }) => [name, state, env])).toEqual([
    ['notes', 'new', ['API_TOKEN']],
    ['hub', 'herma', []],
  ])
  expect((await herma('discover', 'clients')).out).toMatch(/cursor[^]*notes +new/)
  expect((await herma('discover', 'import', 'cursor', 'notes', 'gone', '--isolation', 'none')).out).toMatch(
    /added +notes[^]*failed +gone/,
  )
  expect(await ask('GET', '/api/connectors/notes')).toMatchObject({ isolation: { type: 'none' } })
  const after = await ask<{ clients: ClientConfigView[] }>('GET', '/api/discovery/clients')
  expect(after.clients.find(({ id }) => id === 'cursor')?.servers[0]).toMatchObject({ state: 'same', sameAs: 'notes' })
  expect(JSON.parse(await readFile(join(home.path, '.cursor/mcp.json'), 'utf8'))).toEqual(cursorFile)
  await expectNoCanary()
  await ask('DELETE', '/api/connectors/notes')
})

test('what somebody pastes is read and not stored', async () => {
  const file = join(home.path, 'pasted.txt')
  await writeFile(file, 'API_KEY=abc npx -y weather-mcp')
  const parsed = await herma('discover', 'parse', file)
  expect(parsed.out).toMatch(/name +weather[^]*API_KEY \(secret\)/)
  const { status, body } = await hub.api('POST', '/api/discovery/parse', { text: '{"a": oops}' })
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('line 1, column 7: expected a value')])
})

test('a registry that is not set is not asked, and one that is away says what to do', async () => {
  const foreign = await hub.api('GET', '/api/discovery/registry?registry=http%3A%2F%2Fevil.example')
  expect([foreign.status, JSON.stringify(foreign.body)]).toEqual([
    400,
    expect.stringContaining('herma discover registry --add'),
  ])
  await herma('discover', 'registry', '--add', 'http://127.0.0.1:1/')
  const away = await herma('discover', 'search', 'x', '--registry', 'http://127.0.0.1:1')
  expect([away.code, away.error]).toEqual([5, expect.stringContaining('cannot be reached')])
  expect((await herma('discover', 'show', 'io.example/memory')).out).toContain('--value env:API_TOKEN=…')
})

test('an agent searches and plans over MCP as a person does', async () => {
  const client = new Client({ name: 'agent', version: '1' })
  const url = new URL(`${hub.url}/api/mcp/servers/herma/stream`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: hub.operator } }))
  const call = async (name: string, args: object) =>
    JSON.stringify((await client.callTool({ name, arguments: { ...args } })).content)
  expect(await call('discover_servers', { query: 'memory' })).toContain('io.example/memory')
  const source = { kind: 'bundle', name: 'starter' }
  expect(await call('install_server', { source, plan: true })).toContain('workspace_fs_read')
  expect(await call('remove_server', { kind: 'bundle', name: 'starter' })).toContain('was not installed by Herma')
  await client.close()
})

/** Neither in an answer, nor in a row, nor in a file but the client's own. */
async function expectNoCanary(): Promise<void> {
  const texts = Object.values(canary)
  const rows = [...(await dumpDatabase(hub.stateHome)).values()].join('\n')
  for (const text of texts) {
    expect(answers.join('\n')).not.toContain(text)
    expect(rows).not.toContain(text)
  }
  expect(findInFiles(hub.configHome, texts)).toEqual([])
}

async function versionOf(server: string): Promise<string> {
  const file = join(root, 'node_modules/@modelcontextprotocol', `server-${server}`, 'package.json')
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}

/** An npx that runs what is installed in the repository and never asks the network. */
async function putNpx(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const require = JSON.stringify(join(root, 'package.json'))
  const script = `#!${process.execPath}
const { createRequire } = require('node:module')
const { dirname, join } = require('node:path')
const { pathToFileURL } = require('node:url')
const [spec, ...args] = process.argv.slice(2).filter((word) => word !== '-y')
const file = createRequire(${require}).resolve(spec.replace(/(?<=.)@[^/]*$/, '') + '/package.json')
const { bin } = require(file)
const program = join(dirname(file), typeof bin === 'string' ? bin : Object.values(bin)[0])
process.argv = [process.execPath, program, ...args]
import(pathToFileURL(program))
`
  await writeFile(join(folder, 'npx'), script)
  await chmod(join(folder, 'npx'), 0o755)
}

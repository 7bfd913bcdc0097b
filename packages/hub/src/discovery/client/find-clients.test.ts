import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ConnectorInput, ConnectorView } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findClients } from './find-clients.ts'
import { viewClient } from './view-client.ts'

const canary = 'canary-value-1199'
let home: string
const machine = () => ({ home, folder: join(home, 'work'), platform: 'linux' as const, env: {} })

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'herma-clients-'))
  const write = async (path: string, content: unknown) => {
    const file = join(home, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const app = join(home, 'app')
  await write('.claude.json', {
    numStartups: 3,
    mcpServers: { files: { command: 'npx', args: ['files', '--api-key', canary], env: { TOKEN: canary } } },
    projects: { [app]: { mcpServers: { mine: { type: 'http', url: 'https://b.example/mcp' } } }, relative: {} },
  })
  await write('app/.mcp.json', { mcpServers: { ours: { command: 'node', args: ['x.mjs'] } } })
  await write('.config/Claude/claude_desktop_config.json', '{"mcpServers": {\n  "a": oops }')
  await write('.codex/config.toml', `[mcp_servers.docs]\nurl = "https://user:${canary}@a.example/mcp?key=${canary}"\n`)
  await write('.cursor/mcp.json', {
    mcpServers: {
      herma: { url: 'http://localhost:4376/mcp' },
      bridge: { command: 'npx', args: ['herma', 'stdio'] },
      broken: {},
    },
  })
  await write('.config/zed/settings.json', '// settings\n{"theme": "One",}')
  await write('.gemini/settings.json', {
    mcpServers: { g: { httpUrl: 'https://g.example/mcp', headers: { 'X-Key': canary } } },
  })
})

afterAll(() => rm(home, { recursive: true, force: true }))

const known = [
  { name: 'mine', transport: 'stdio', cmd: 'npx', args: ['-y', 'files', '--api-key', canary], workingDir: null },
  { name: 'other', transport: 'stream', baseUrl: 'https://b.example', endpointPath: '/mcp' },
] as unknown as ConnectorView[]

test('the files of clients are found, with what they name and whether it is here already', async () => {
  const clients = await findClients(machine())
  const around = {
    connectors: known,
    isHerma: ({ baseUrl, args }: ConnectorInput) =>
      baseUrl?.includes(':4376') === true || args?.includes('stdio') === true,
  }
  const views = clients.map((client) => viewClient(client, around))
  const states = views.map(({ id, exists, servers }) => [
    id.replace(home, ''),
    exists,
    Object.fromEntries(servers.map(({ name, state }) => [name, state])),
  ])
  expect(states).toEqual([
    ['claude-code', true, { files: 'same' }],
    ['claude-code-local:/app', true, { mine: 'same' }],
    ['claude-code:/app', true, { ours: 'new' }],
    ['claude-desktop', true, {}],
    ['codex', true, { docs: 'new' }],
    ['cursor', true, { herma: 'herma', bridge: 'herma', broken: 'unreadable' }],
    ['vscode', false, {}],
    ['windsurf', false, {}],
    ['zed', true, {}],
    ['gemini', true, { g: 'new' }],
  ])
  const [code] = views
  expect(code?.servers[0]).toMatchObject({ sameAs: 'mine', command: 'npx files --api-key ••••', env: ['TOKEN'] })
  expect(views[9]?.servers[0]).toMatchObject({ url: 'https://g.example/mcp', headers: ['X-Key'] })
  expect(JSON.stringify(views)).not.toContain(canary)
})

test('a broken file is an entry with its line, and one of settings without servers is fine', async () => {
  const clients = await findClients(machine())
  const problems = Object.fromEntries(clients.map(({ id, problem }) => [id, problem]))
  expect(problems['claude-desktop']).toMatch(
    /claude_desktop_config\.json is not JSON: line 2, column 8: expected a value/,
  )
  expect(problems['zed']).toBeNull()
})

test('on macOS the applications keep their files elsewhere', async () => {
  const files = (await findClients({ ...machine(), platform: 'darwin' })).map(({ file }) => file.replace(home, ''))
  expect(files).toContain('/Library/Application Support/Claude/claude_desktop_config.json')
  expect(files).toContain('/Library/Application Support/Code/User/mcp.json')
})

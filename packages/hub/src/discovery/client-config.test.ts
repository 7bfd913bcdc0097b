import { ConnectorInput } from '@herma/contract'
import { expect, test } from 'vitest'

import { parseClientConfig } from './client-config.ts'

const files = { command: 'npx', args: ['-y', 'files'], env: { TOKEN: 'x' }, cwd: '/srv' }
const filesInput = {
  name: 'files',
  description: '',
  enabled: true,
  transport: 'stdio',
  cmd: 'npx',
  args: ['-y', 'files'],
  env: [{ name: 'TOKEN', value: 'x' }],
  workingDir: '/srv',
}

test.each([
  ['Claude and Cursor', { mcpServers: { files } }],
  ['VS Code mcp.json', { inputs: [], servers: { files: { type: 'stdio', ...files } } }],
  ['VS Code settings.json', { 'editor.tabSize': 2, mcp: { servers: { files } } }],
  ['a bare map', { files }],
])('the servers of %s become connectors', (_client, config) => {
  const { servers, failed } = parseClientConfig(config)
  expect(failed).toEqual([])
  expect(servers).toEqual([{ name: 'files', input: filesInput, remarks: [] }])
  expect(ConnectorInput.safeParse(servers[0]?.input).success).toBe(true)
})

test.each([
  [{ url: 'https://a.example/mcp' }, 'stream'],
  [{ type: 'http', url: 'https://a.example/mcp' }, 'stream'],
  [{ type: 'streamable-http', url: 'https://a.example/mcp' }, 'stream'],
  [{ transport: 'streamable_http', url: 'https://a.example/mcp' }, 'stream'],
  [{ httpUrl: 'https://a.example/sse' }, 'stream'],
  [{ serverUrl: 'https://a.example/mcp' }, 'stream'],
  [{ type: 'sse', url: 'https://a.example/events' }, 'sse'],
  [{ url: 'https://a.example/sse' }, 'sse'],
])('%j is a connector of transport %s', (entry, transport) => {
  const { servers } = parseClientConfig({ mcpServers: { a: entry } })
  expect(servers[0]?.input.transport).toBe(transport)
})

test('headers are taken over and a disabled server stays disabled', () => {
  const entry = { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer x', 'X-Retries': 3 }, disabled: true }
  const { servers } = parseClientConfig({ mcpServers: { a: entry } })
  expect(servers[0]?.input).toMatchObject({
    enabled: false,
    headers: [
      { name: 'Authorization', value: 'Bearer x' },
      { name: 'X-Retries', value: '3' },
    ],
  })
})

test('one bad entry does not stop the others', () => {
  const { servers, failed } = parseClientConfig({
    mcpServers: {
      none: { args: [] },
      text: 'npx',
      args: { command: 'npx', args: 'one two' },
      type: { type: 'websocket', url: 'https://a.example' },
      mixed: { type: 'http', command: 'npx' },
      '///': { command: 'npx' },
      good: { command: 'npx' },
    },
  })
  expect(servers.map(({ name }) => name)).toEqual(['good'])
  expect(Object.fromEntries(failed.map(({ name, reason }) => [name, reason]))).toEqual({
    none: 'It has neither "command" nor "url".',
    text: 'It must be an object with "command" or "url".',
    args: '"args" must be a list of texts.',
    type: "Its type 'websocket' is not known for a URL. Use http or sse.",
    mixed: `Its type is 'http', but it has a command. Use stdio, or give a "url".`,
    '///': 'Its name has no letter or digit. Rename it.',
  })
})

test('a name that we do not allow is made legal and the change is told', () => {
  const { servers } = parseClientConfig({ mcpServers: { '@acme/My Files!': { command: 'npx' } } })
  expect(servers[0]?.input.name).toBe('acme-My-Files-')
  expect(servers[0]?.remarks).toEqual(["It is called 'acme-My-Files-' here."])
})

test('fields without a counterpart are named', () => {
  const { servers } = parseClientConfig({ mcpServers: { a: { command: 'npx', alwaysAllow: ['x'], envFile: '.env' } } })
  expect(servers[0]?.remarks).toEqual(['Left out, because a connector has no such field: alwaysAllow, envFile.'])
})

test('a value that only the client can fill in disables the connector and says where it is', () => {
  const entry = { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${input:token}' } }
  const { servers } = parseClientConfig({ servers: { a: entry } })
  expect(servers[0]?.input.enabled).toBe(false)
  expect(servers[0]?.remarks[0]).toContain('header Authorization')
})

test.each([[null], [[]], [{}], [{ mcpServers: {} }], [{ mcpServers: [] }], [{ command: 'npx' }], [{ a: { b: 1 } }]])(
  '%j is refused as a whole',
  (config) => {
    expect(() => parseClientConfig(config)).toThrow(/configuration/)
  },
)

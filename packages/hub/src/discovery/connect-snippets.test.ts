import { connectSnippets, type SnippetOptions } from '@herma/contract'
import { expect, test } from 'vitest'

import { parseClientConfig } from './client-config.ts'

const endpoint = 'http://127.0.0.1:4376/mcp'

function snippets(url: string, options?: SnippetOptions) {
  return Object.fromEntries(connectSnippets(url, 'herma', options).map(({ client, text }) => [client, text]))
}

function noteOf(client: string, url: string) {
  return connectSnippets(url).find((each) => each.client === client)?.note
}

test('every client gets what it understands', () => {
  expect(snippets(endpoint)).toEqual({
    'claude-code': 'claude mcp add --transport http herma http://127.0.0.1:4376/mcp',
    'claude-desktop': '{"mcpServers":{"herma":{"command":"herma","args":["stdio"]}}}',
    codex: '[mcp_servers.herma]\nurl = "http://127.0.0.1:4376/mcp"',
    cursor: '{"mcpServers":{"herma":{"url":"http://127.0.0.1:4376/mcp"}}}',
    vscode: `code --add-mcp '{"name":"herma","type":"http","url":"http://127.0.0.1:4376/mcp"}'`,
    chatgpt: endpoint,
    json: '{"mcpServers":{"herma":{"type":"http","url":"http://127.0.0.1:4376/mcp"}}}',
  })
})

test('where a key is wanted, its place is shown in the header that the server reads', () => {
  const bearer = snippets(endpoint, { keyHeader: 'authorization' })
  expect(bearer['claude-code']).toContain('--header "Authorization: Bearer <your key>"')
  expect(bearer['codex']).toContain('http_headers = { "Authorization" = "Bearer <your key>" }')
  for (const client of ['cursor', 'vscode', 'json'])
    expect(bearer[client]).toContain('"headers":{"Authorization":"Bearer <your key>"}')
  expect(snippets(endpoint, { keyHeader: 'x-key' })['json']).toContain('"headers":{"x-key":"<your key>"}')
})

test('a client that launches its servers gets the bridge to the same one, here or elsewhere', () => {
  const session = snippets('http://localhost:4376/api/mcp/sessions/coder/stream')['claude-desktop']
  expect(session).toContain('["stdio","--server","session:coder"]')
  const elsewhere = snippets('https://hub.example/api/mcp/servers/crew/stream', { keyHeader: 'authorization' })
  expect(elsewhere['claude-desktop']).toContain(
    '["stdio","--server","crew","--hub","https://hub.example","--token-file","<file with your key>"]',
  )
})

test('ChatGPT is told to wait for a public address', () => {
  expect(noteOf('chatgpt', endpoint)).toContain('herma access --public-url')
  expect(noteOf('chatgpt', 'https://hub.example/mcp')).toContain('herma user add')
})

test('the snippet of a client that takes JSON can be read back', () => {
  for (const client of ['cursor', 'json']) {
    const { servers } = parseClientConfig(JSON.parse(snippets(endpoint)[client] ?? ''))
    expect(servers[0]?.input).toMatchObject({ name: 'herma', transport: 'stream', baseUrl: endpoint })
  }
})

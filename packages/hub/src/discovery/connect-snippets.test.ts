import { expect, test } from 'vitest'

import { parseClientConfig } from './client-config.ts'
import { connectSnippets } from '@herma/contract'

const endpoint = 'http://127.0.0.1:4376/mcp'
const snippets = Object.fromEntries(connectSnippets(endpoint).map(({ client, text }) => [client, text]))

test('every client gets what it understands', () => {
  expect(snippets).toEqual({
    'claude-code': 'claude mcp add --transport http herma http://127.0.0.1:4376/mcp',
    codex: '[mcp_servers.herma]\nurl = "http://127.0.0.1:4376/mcp"',
    cursor: '{"mcpServers":{"herma":{"url":"http://127.0.0.1:4376/mcp"}}}',
    vscode: `code --add-mcp '{"name":"herma","type":"http","url":"http://127.0.0.1:4376/mcp"}'`,
  })
})

test('the snippet of a client that takes JSON can be read back', () => {
  const { servers } = parseClientConfig(JSON.parse(snippets['cursor'] ?? ''))
  expect(servers[0]?.input).toMatchObject({ name: 'herma', transport: 'stream', baseUrl: endpoint })
})

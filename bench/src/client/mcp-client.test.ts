import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Server } from '@modelcontextprotocol/server'
import { SSEServerTransport } from '@modelcontextprotocol/server-legacy/sse'
import { expect, test } from 'vitest'
import { serveHttp } from '../downstream/serve-http.ts'
import { makeTools, payloadText, type TestTool } from '../downstream/test-tools.ts'
import { makeClient } from './make-client.ts'
import { readMessages, type Endpoint } from './mcp-client.ts'
import { describeMcpClient, type ServedEndpoint } from './mcp-client.contract.ts'

describeMcpClient('Streamable HTTP, legacy', 'legacy', serveStreamable)
describeMcpClient('Streamable HTTP, modern', 'modern', serveStreamable)
describeMcpClient('stdio, legacy', 'legacy', serveProgram)
describeMcpClient('stdio, modern', 'modern', serveProgram)
describeMcpClient('HTTP+SSE', 'sse', serveEvents)

test('reads every message of an event stream and skips events without data', () => {
  const body = Buffer.from('id: 1\ndata: \n\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "id":4}\n\n: hello\n\n')
  expect(readMessages({ id: 4, body, isEventStream: true })).toEqual([{ jsonrpc: '2.0', id: 4 }])
})

test('a server that closes the connection fails the request that waits, and the next one connects again', async () => {
  let answered = 0
  const server = createServer((request, response) => {
    if (answered++ === 1) request.socket.destroy()
    else response.end('{"jsonrpc":"2.0","id":1,"result":{}}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const client = makeClient({ kind: 'http', url: `http://127.0.0.1:${port}/mcp` }, 'modern', 5000)
  try {
    await client.request('ping', {})
    await expect(client.request('ping', {})).rejects.toThrow(/closed the connection|ECONNRESET/)
    await client.request('ping', {})
    expect(answered).toBe(3)
  } finally {
    await client.close()
    server.close()
  }
})

test('a server that says nothing fails the request', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const client = makeClient({ kind: 'http', url: `http://127.0.0.1:${port}/mcp` }, 'modern', 50)
  try {
    await expect(client.request('ping', {})).rejects.toThrow('no answer within 50 ms')
  } finally {
    await client.close()
    server.closeAllConnections()
    server.close()
  }
})

async function serveStreamable(): Promise<ServedEndpoint> {
  const { url, close } = await serveHttp(3)
  return { endpoint: { kind: 'http', url }, close }
}

function serveProgram(): Promise<ServedEndpoint> {
  const program = fileURLToPath(new URL('../bench-downstream.ts', import.meta.url))
  const args = ['--import', 'tsx', program, '--stdio', '3']
  const endpoint: Endpoint = { kind: 'stdio', command: process.execPath, args }
  return Promise.resolve({ endpoint, close: () => Promise.resolve() })
}

/** The official transport of 2024-11-05 with the same tools. */
async function serveEvents(): Promise<ServedEndpoint> {
  const transports = new Map<string, SSEServerTransport>()
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    const known = transports.get(searchParams.get('sessionId') ?? '')
    if (known) return void known.handlePostMessage(request, response)
    const transport = new SSEServerTransport('/messages', response)
    transports.set(transport.sessionId, transport)
    void makeSdkServer(makeTools(3)).connect(transport)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: { kind: 'http', url: `http://127.0.0.1:${port}/sse` },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function makeSdkServer(tools: TestTool[]): Server {
  const server = new Server({ name: 'test', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: tools as never }))
  server.setRequestHandler('tools/call', ({ params }) => {
    const given = params.arguments as { text?: string; bytes?: number } | undefined
    if (!tools.some((tool) => tool.name === params.name)) throw new Error(`Unknown tool: ${params.name}`)
    return { content: [{ type: 'text', text: given?.text ?? payloadText(given?.bytes ?? 0) }] }
  })
  return server
}

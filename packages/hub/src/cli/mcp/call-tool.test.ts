import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { captureTerminal } from '../capture-terminal.ts'
import { runCli } from '../run-cli.ts'

// A server of the official SDK stands where the hub's endpoint will be: the command must be a real client.
let server: Server
let hub: string
let lastHeaders: IncomingHttpHeaders = {}
let cancelled = 0

function createTools(): McpServer {
  const tools = new McpServer({ name: 'tools', version: '1.0.0' }, { capabilities: { tools: {} } })
  tools.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  tools.registerTool(
    'region',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
    ({ region }) => ({ content: [{ type: 'text', text: region }] }),
  )
  tools.registerTool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'disk full' }] }))
  tools.registerTool('mixed', {}, () => ({
    content: [
      { type: 'image', data: Buffer.alloc(1500).toString('base64'), mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
      { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
    ],
  }))
  tools.registerTool('count', {}, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken
    for (const progress of [1, 2]) {
      if (progressToken === undefined) break
      const params = { progressToken, progress, total: 2, message: `step ${progress}` }
      await context.mcpReq.notify({ method: 'notifications/progress', params })
    }
    return { content: [{ type: 'text', text: 'counted' }] }
  })
  tools.registerTool('hang', {}, async (context) => {
    await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve))
    cancelled++
    return { content: [] }
  })
  return tools
}

beforeAll(async () => {
  const handler = createMcpHandler(createTools)
  const serve = toNodeHandler(handler)
  server = createServer((request, response) => {
    lastHeaders = request.headers
    void serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function herma(words: string[], input?: string) {
  const { terminal, written } = captureTerminal({ input })
  const exitCode = await runCli([...words, '--hub', hub], terminal)
  // On a slow machine a call takes longer than a second and says so.
  return { exitCode, out: written.out, error: written.error.replace(/^Calling .* …\n/m, '') }
}

test('the text of the result is printed and nothing else', async () => {
  expect(await herma(['call', 'echo', '--json', '{"text":"hello"}'])).toEqual({
    exitCode: 0,
    out: 'hello\n',
    error: '',
  })
})

test('arguments are read from standard input', async () => {
  expect((await herma(['call', 'echo', '--json', '-'], '{"text":"piped"}')).out).toBe('piped\n')
})

test('--json without a value prints the whole result', async () => {
  const { out, exitCode } = await herma(['call', 'echo', '--json', '{"text":"hello"}', '--json'])
  expect(exitCode).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'hello' }] })
})

test('a parameter that the descriptor marks is mirrored into its header', async () => {
  const { exitCode, out } = await herma(['call', 'region', '--arguments', '{"region":"Hello, 世界"}'])
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: 'Hello, 世界\n' })
  expect(lastHeaders['mcp-param-region']).toBe('=?base64?SGVsbG8sIOS4lueVjA==?=')
})

test('a tool that reports an error prints its text and fails as a downstream', async () => {
  expect(await herma(['call', 'fail'])).toEqual({ exitCode: 5, out: 'disk full\n', error: 'fail reports an error.\n' })
})

test('an image is noted on standard error, and resources show their text or address', async () => {
  expect(await herma(['call', 'mixed'])).toEqual({
    exitCode: 0,
    out: 'inside\nfile:///b.txt\n',
    error: '[image: image/png, 1.5 kB; --json shows the data]\n',
  })
})

test('progress goes to standard error while the call runs', async () => {
  expect(await herma(['call', 'count'])).toEqual({ exitCode: 0, out: 'counted\n', error: '1/2 step 1\n2/2 step 2\n' })
})

test('an unknown tool is not found, and the nearest one is named', async () => {
  const { exitCode, error } = await herma(['call', 'ecko'])
  expect(exitCode).toBe(4)
  expect(error).toContain('Did you mean echo?')
})

test('an answer that takes longer than the timeout is given up and cancelled', async () => {
  const { exitCode, error } = await herma(['call', 'hang', '--timeout', '0.3'])
  expect(exitCode).toBe(5)
  expect(error).toContain('did not answer within 0.3 s')
  await expect.poll(() => cancelled).toBe(1)
})

test.each([
  [['call', 'echo', '--json', '{text}'], /must be JSON/],
  [['call', 'echo', '--json', '[1]'], /must be a JSON object/],
  [['call', 'echo', '--json', '{}', '--arguments', '{}'], /once/],
  [['call', 'echo', '--timeout', 'soon'], /seconds/],
])('%j is wrong usage', async (words, reason) => {
  const { exitCode, error } = await herma(words)
  expect(exitCode).toBe(2)
  expect(error).toMatch(reason)
})

test('a server that is no hub is not taken for one', async () => {
  const { exitCode, error } = await herma(['status'])
  expect(exitCode).toBe(3)
  expect(error).toContain('not like a Herma hub')
})

test('an address where no hub answers means that none is running', async () => {
  const { terminal, written } = captureTerminal()
  expect(await runCli(['call', 'echo', '--hub', 'http://127.0.0.1:9'], terminal)).toBe(3)
  expect(written.error).toContain('herma up')
})

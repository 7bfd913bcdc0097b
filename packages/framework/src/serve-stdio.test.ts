import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { serveStdio } from './serve-stdio.ts'

const example = fileURLToPath(new URL('../../../examples/hello-server/server.mjs', import.meta.url))

test.each(['legacy', { pin: '2026-07-28' }] as const)('a client (%j) lists and calls the tools', async (mode) => {
  await using session = await connect(mode)

  const { tools } = await session.client.listTools()
  expect(tools.map((tool) => tool.name)).toEqual(['greet', 'add'])
  expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['name'] })

  const answer = await session.client.callTool({ name: 'add', arguments: { numbers: [1, 2, 39] } })
  expect(answer.content).toEqual([{ type: 'text', text: '42' }])
})

test('arguments that do not fit are refused with the reason, as a result the model can read', async () => {
  await using session = await connect('legacy')

  const answer = await session.client.callTool({ name: 'greet', arguments: { name: 7 } })

  expect(answer.isError).toBe(true)
  expect(JSON.stringify(answer.content)).toMatch(/arguments of 'greet' are not valid.*name: /)
})

test('a call of an unknown tool is a protocol error', async () => {
  await using session = await connect('legacy')

  await expect(session.client.callTool({ name: 'nothing' })).rejects.toThrow(/Unknown tool 'nothing'/)
})

test('two tools of one name are refused before anything is served', () => {
  const tool = { name: 'twice', description: '', input: z.object({}), run: () => '' }

  expect(() => serveStdio({ name: 'test', version: '1', tools: [tool, tool] })).toThrow(/Two tools are named 'twice'/)
})

test('each tool runs with the type that its own schema describes', () => {
  const count = z.object({ count: z.number() })
  const text = z.object({ text: z.string() })
  // Only its types matter: calling it would take over the standard streams of the test runner.
  const serve = () =>
    serveStdio({
      name: 'test',
      version: '1',
      tools: [
        {
          name: 'count',
          description: '',
          input: count,
          run: (input) => (expectTypeOf(input).toEqualTypeOf<{ count: number }>(), ''),
        },
        {
          name: 'text',
          description: '',
          input: text,
          run: (input) => (expectTypeOf(input).toEqualTypeOf<{ text: string }>(), ''),
        },
      ],
    })
  expectTypeOf(serve).toBeFunction()
})

async function connect(mode: 'legacy' | { pin: string }) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const args = ['--import', 'tsx', '--conditions=herma-source', example]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }))
  return { client, [Symbol.asyncDispose]: () => client.close() }
}

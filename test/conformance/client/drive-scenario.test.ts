import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { fromJsonSchema, McpServer, Server } from '@modelcontextprotocol/server'
import { afterEach, expect, test } from 'vitest'
import { serveEras } from '../server/serve-eras.ts'
import { driveScenario } from './drive-scenario.ts'

const undos: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (let undo = undos.pop(); undo; undo = undos.pop()) await undo()
})

test.each(['legacy', 'modern'] as const)('a %s client calls the tool that the scenario is about', async (era) => {
  const calls: unknown[] = []
  const url = await serve(() => buildAdder(calls))
  await driveScenario('tools_call', { url, era, context: {}, hub: undefined })
  expect(calls).toEqual([{ a: 5, b: 3 }])
})

test('a tool that is not listed is an error, so that the suite does not pass over it', async () => {
  const url = await serve(() => buildAdder([]))
  const drive = driveScenario('sse-retry', { url, era: 'legacy', context: {}, hub: undefined })
  await expect(drive).rejects.toThrow('The tool test_reconnection is not listed.')
})

test.each([
  ['as listed', '---\nname: pdf\n---\nBody.', ['skill://pdf/SKILL.md', 'skill://pdf/MORE.md']],
  ['of another size', '---\nname: pdf\n---\nLonger body.', ['skill://pdf/SKILL.md']],
  ['of another digest', '---\nname: pdf\n---\nBodY.', ['skill://pdf/SKILL.md']],
])('a skill file %s decides whether the next one is read', async (_, served, expected) => {
  const read: string[] = []
  const url = await serve(() => buildSkills(read, served))
  await driveScenario('sep-2640-client-verify-digest', { url, era: 'modern', context: {}, hub: undefined })
  expect(read).toEqual(expected)
})

test('a scenario that nobody drives is an error that says where to add it', async () => {
  const drive = driveScenario('new-thing', { url: '', era: 'legacy', context: {}, hub: undefined })
  await expect(drive).rejects.toThrow('Nothing drives the scenario new-thing. Add it to')
})

function buildAdder(calls: unknown[]): McpServer {
  const server = new McpServer({ name: 'adder', version: '1.0.0' })
  const inputSchema = fromJsonSchema<{ a: number; b: number }>({ type: 'object' })
  server.registerTool('add_numbers', { description: 'Adds.', inputSchema }, (args) => {
    calls.push(args)
    return { content: [{ type: 'text', text: String(args.a + args.b) }] }
  })
  return server
}

function buildSkills(read: string[], served: string): Server {
  const listed = '---\nname: pdf\n---\nBody.'
  const files = { 'skill://pdf/SKILL.md': listed, 'skill://pdf/MORE.md': 'More.' }
  const resources = Object.entries(files).map(([uri, text]) => ({
    uri,
    size: text.length,
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  }))
  const server = new Server({ name: 'skills', version: '1.0.0' }, { capabilities: { resources: {} } })
  const anything = fromJsonSchema<Record<string, unknown>>({ type: 'object' })
  server.setRequestHandler('skills/list', { params: anything, result: anything }, () => ({
    skills: [{ uri: 'skill://pdf/SKILL.md', frontmatter: { name: 'pdf' }, resources }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    read.push(uri)
    return { contents: [{ uri, text: uri.endsWith('SKILL.md') ? served : 'More.' }] }
  })
  return server
}

async function serve(build: () => McpServer | Server): Promise<string> {
  const served = serveEras(build, { era: 'both' })
  const handler = toNodeHandler(served)
  const http = createServer((request, response) => void handler(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  undos.push(async () => {
    const closed = new Promise((resolve) => http.close(resolve))
    http.closeAllConnections()
    await served.close()
    await closed
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}

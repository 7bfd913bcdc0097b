import { createRequire } from 'node:module'
import type { ServedTool } from '@herma/contract'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const memory = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js')
const canary = 'canary-value-8841'

async function connect(hub: TestHub, mode: 'legacy' | 'auto', answer?: boolean) {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } }
  const client = new Client({ name: 'agent', version: '1' }, { capabilities, versionNegotiation: { mode } })
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { remove: answer } }))
  }
  const url = new URL(`${hub.url}/api/mcp/servers/herma/stream`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: hub.operator } }))
  return {
    client,
    async call(name: string, args: Record<string, unknown> = {}) {
      const result = await client.callTool({ name, arguments: args })
      return { isError: result.isError === true, text: (result.content[0] as { text: string } | undefined)?.text ?? '' }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

test.each(['legacy', 'auto'] as const)(
  'an agent (%s) manages the hub over MCP as a person does over the CLI',
  async (mode) => {
    await using hub = await startTestHub()
    await using agent = await connect(hub, mode, true)
    expect((await agent.client.listTools()).tools.map((tool) => tool.name)).toContain('add_connector')

    const connector = stdioConnector('notes', [memory])
    const added = await agent.call('add_connector', {
      ...connector,
      env: [{ name: 'API_TOKEN', value: canary, secret: true }],
    })
    expect(added).toMatchObject({ isError: false })
    expect(added.text).not.toContain(canary)
    expect((await agent.call('test_connector', { name: 'notes' })).text).toContain('"ok":true')
    expect(JSON.parse((await agent.call('list_connectors')).text)).toMatchObject([
      { name: 'notes', transport: 'stdio', enabled: true },
    ])
    await expect
      .poll(async () => (await agent.call('list_connector_tools', { name: 'notes' })).text, { timeout: 20_000 })
      .toContain('create_entities')
    expect((await agent.call('switch_connector', { name: 'notes', enabled: false })).text).toContain('"enabled":false')
    const read = await agent.client.readResource({ uri: 'herma://connectors/notes' })
    expect(JSON.stringify(read)).toContain('notes')
    expect(JSON.stringify(read)).not.toContain(canary)
    expect((await agent.call('remove_connector', { name: 'notes' })).text).toBe("'notes' is removed.")
    expect((await agent.call('show_connector', { name: 'notes' })).isError).toBe(true)
  },
)

test('what the person declines is not done, and errors say what to do', async () => {
  await using hub = await startTestHub({ connectors: [stdioConnector('notes', [memory])] })
  await using agent = await connect(hub, 'auto', false)

  expect((await agent.call('remove_connector', { name: 'notes' })).text).toBe("'notes' was kept.")
  const unknown = await agent.call('show_connector', { name: 'nots' })
  expect(unknown).toMatchObject({ isError: true })
  expect(unknown.text).toMatch(/nots/)
  const again = await agent.call('add_connector', stdioConnector('notes', [memory]))
  expect(again.isError).toBe(true)
  await expect(agent.client.readResource({ uri: 'herma://connectors/other' })).rejects.toThrow(/no connector/)
  expect(await hub.api('GET', '/api/connectors/notes')).toMatchObject({ status: 200 })
})

test('its tools are counted and told before an agent asks for them', async () => {
  await using hub = await startTestHub()

  const { body: server } = await hub.api('GET', '/api/servers/herma')
  const { body: told } = await hub.api('GET', '/api/servers/herma/tools')
  await using agent = await connect(hub, 'auto')
  const { tools } = await agent.client.listTools()
  expect(server).toMatchObject({ tools: tools.length })
  expect(told).toMatchObject({ tools: tools.map(({ name, description }) => ({ name, description })) })
  expect((told as { tools: ServedTool[] }).tools.every(({ tokens }) => tokens > 10)).toBe(true)
})

test('it is listed among the servers, and cannot be set or replaced', async () => {
  await using hub = await startTestHub()

  const { body } = await hub.api('GET', '/api/servers')
  expect(body).toMatchObject({ servers: [{ name: 'facade' }, { name: 'herma', kind: 'management' }] })
  expect((await hub.api('PATCH', '/api/servers/herma', { sse: true })).status).toBe(403)
  expect((await hub.api('DELETE', '/api/servers/herma')).status).toBe(403)
  expect((await hub.api('POST', '/api/servers', { name: 'herma' })).status).toBe(409)
  const foreign = await fetch(`${hub.url}/api/mcp/servers/herma/stream`, {
    method: 'POST',
    headers: { origin: 'https://evil.example' },
  })
  expect(foreign.status).toBe(403)
  const unknown = await fetch(`${hub.url}/api/mcp/servers/herma/stream`, { method: 'POST' })
  expect(unknown.status).toBe(401)
})

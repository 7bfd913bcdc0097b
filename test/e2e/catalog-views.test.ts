import type { ServerView, ToolDetail, View } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { eras, startCatalogHub, textIn, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'
import { WireClient } from './wire-client.ts'

let hub: CatalogHub

const views = [
  { name: 'reader', include: [{ readOnly: true }], exclude: [{ tool: 'every__get-env' }] },
  { name: 'files-only', include: [{ server: 'files' }] },
  { name: 'for-robots', include: [{ tool: 'every__echo' }], for: { clients: ['robot-*'] } },
]

beforeAll(async () => {
  hub = await startCatalogHub({
    files: { 'catalog/views.json': { schemaVersion: 1, views } },
    connectors: [
      stdioConnector('every', [serverProgram('everything'), 'stdio']),
      stdioConnector('files', [serverProgram('filesystem'), process.cwd()]),
      catalogConnectors.oddSchema({ name: 'odd' }),
    ],
  })
  await hub.ask<ServerView>('POST', '/api/servers', { name: 'reading', view: 'reader' })
  await hub.ask<ServerView>('POST', '/api/servers', { name: 'files', view: 'files-only' })
  await hub.ask<ServerView>('POST', '/api/servers', { name: 'lost', view: 'no-such-view' })
})

afterAll(() => hub?.stop())

const pathOf = (server: string) => `/api/mcp/servers/${server}/stream`

test('views come from the files', async () => {
  const { views: known } = await hub.ask<{ views: View[] }>('GET', '/api/catalog/views')
  expect(known.map(({ name }) => name)).toEqual(['reader', 'files-only', 'for-robots'])
})

describe.each(eras)('a %s client', (era) => {
  test('of a server with a view sees only what the view has, and calls only that', async () => {
    const client = await hub.connect(era, { path: pathOf('reading') })
    const names = await client.names()
    expect(names).toEqual(expect.arrayContaining(['every__echo', 'files__read_text_file']))
    for (const hidden of ['every__get-env', 'files__write_file', 'every__toggle-simulated-logging'])
      expect(names).not.toContain(hidden)
    expect(textIn(await client.call('every__echo', { message: 'hi' }))).toBe('Echo: hi')
    const refusalOf = (name: string) =>
      client.call(name).then(
        () => 'it ran',
        ({ code, message }: Error & { code: number }) => `${code} ${message.replaceAll(name, 'NAME')}`,
      )
    const missing = await refusalOf('every__no-such-tool')
    expect(missing).toContain('-32602')
    expect(await refusalOf('every__get-env')).toBe(missing)
    expect(await refusalOf('files__write_file')).toBe(missing)
  })

  test('of a server with a view of one connector gets neither prompts nor resources of the others', async () => {
    const { client } = await hub.connect(era, { path: pathOf('files') })
    expect((await client.listPrompts()).prompts).toEqual([])
    expect((await client.listResources()).resources).toEqual([])
    await expect(client.getPrompt({ name: 'every__simple-prompt' })).rejects.toThrow('Unknown prompt')
    const uri = 'demo://resource/static/document/features.md'
    await expect(client.readResource({ uri })).rejects.toThrow('not found')
    const whole = await hub.connect(era)
    expect((await whole.client.readResource({ uri }))['contents']).toHaveLength(1)
  })

  test('of a server whose view is unknown sees nothing', async () => {
    const client = await hub.connect(era, { path: pathOf('lost') })
    expect(await client.names()).toEqual([])
    await expect(client.call('every__echo', { message: 'hi' })).rejects.toThrow('Unknown tool')
  })

  test('gets the view that is for its name', async () => {
    const robot = await hub.connect(era, { name: 'robot-7' })
    expect(await robot.names()).toEqual(['every__echo'])
    expect((await (await hub.connect(era, { name: 'cursor-vscode' })).names()).length).toBeGreaterThan(10)
  })

  test('that is strict gets schemas that it can take, and others get them as they are', async () => {
    const strict = await hub.connect(era, { name: 'codex-mcp-client' })
    const { tools } = (await strict.client.listTools()) as { tools: { name: string; inputSchema: object }[] }
    const odd = tools.filter(({ name }) => name.startsWith('odd__'))
    expect(odd.length).toBeGreaterThan(10)
    for (const { inputSchema } of odd) {
      expect(inputSchema).toMatchObject({ type: 'object' })
      expect(JSON.stringify(inputSchema)).not.toMatch(/"\$ref"|"type":\[/)
    }
    expect(textIn(await strict.call('odd__reference', { at: 7 }))).toContain('{"at":7}')
    const plain = await listedRaw()
    expect(JSON.stringify(plain.find(({ name }) => name === 'odd__type_arrays'))).toContain('"type":[')
  })

  test('can list although one server has schemas that its protocol does not allow', async () => {
    const client = await hub.connect(era, { name: 'claude-code' })
    const names = await client.names()
    expect(names.filter((name) => name.startsWith('odd__')).length).toBeGreaterThan(10)
    expect(await client.tool('odd__no_type')).toMatchObject({
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    })
  })

  test('gets flags and outputs of any type as they are, unless it is known by name to refuse them', async () => {
    const list = async (name: string) => {
      if (era === 'modern') return listedRaw()
      const { message } = await (await WireClient.connect(hub.endpoint, '2025-11-25', { name })).request('tools/list')
      return message!.result!['tools'] as Listed[]
    }
    const seenBy = async (name: string) => {
      const tools = new Map((await list(name)).map((tool) => [tool.name, tool]))
      return [
        tools.get('odd__boolean_schemas')!.inputSchema,
        tools.get('odd__type_arrays')!.outputSchema,
        tools.get('odd__no_type')!.outputSchema,
      ]
    }
    const named = { properties: { name: { type: 'string' } } }
    const asWritten = [
      { type: 'object', properties: { anything: true, nothing: false } },
      { type: 'array', items: { type: 'string' } },
      named,
    ]
    expect(await seenBy('some-client')).toEqual(asWritten)
    const flags = { type: 'object', properties: { anything: {}, nothing: { not: {} } } }
    const adapted = [flags, undefined, { ...named, type: 'object' }]
    expect(await seenBy('claude-code')).toEqual(era === 'modern' ? asWritten : adapted)
  })

  test('of ChatGPT finds and fetches the resources of all servers', async () => {
    const client = await hub.connect(era, { name: 'openai-mcp' })
    expect(await client.names()).toEqual(expect.arrayContaining(['search', 'fetch']))
    const { results } = (await client.call('search', { query: 'architecture' })).structuredContent as {
      results: { id: string; title: string; url: string }[]
    }
    expect(results[0]!.id).toContain('architecture.md')
    const { structuredContent } = await client.call('fetch', { id: results[0]!.id })
    expect(structuredContent).toMatchObject({ id: results[0]!.id, text: expect.stringContaining('Architecture') })
    const missing = await client.call('fetch', { id: 'demo://nowhere' })
    expect([missing.isError, textIn(missing)]).toEqual([true, expect.stringContaining('demo://nowhere')])
    expect(await (await hub.connect(era, { name: 'claude-code' })).names()).not.toContain('search')
  })
})

test('every adaptation of a schema is shown, with the clients that get it', async () => {
  const show = (tool: string) => hub.ask<ToolDetail>('GET', `/api/catalog/tools/odd/${tool}`)
  const kindsOf = ({ adaptations }: ToolDetail) => adaptations.map(({ kind }) => kind)
  const flags = (await show('boolean_schemas')).adaptations
  expect(flags.find(({ kind }) => kind === 'plain')).toEqual({
    kind: 'plain',
    clients: expect.arrayContaining(['claude-code*']),
    changes: [
      { path: 'inputSchema.properties.anything', what: 'true became {}' },
      { path: 'inputSchema.properties.nothing', what: 'false became {"not":{}}' },
    ],
  })
  expect(flags.find(({ kind }) => kind === 'legal')).toEqual({
    kind: 'legal',
    clients: [],
    changes: [{ path: 'outputSchema', what: 'removed' }],
  })
  expect(flags.find(({ kind }) => kind === 'strict')).toMatchObject({ clients: expect.arrayContaining(['codex*']) })
  expect(kindsOf(await show('type_arrays'))).toEqual(['plain', 'strict'])
  expect(kindsOf(await show('no_schema'))).toEqual(['legal'])
  const { adaptations } = await hub.ask<ToolDetail>('GET', '/api/catalog/tools/every/echo')
  expect(adaptations).toEqual([])
})

interface Listed {
  readonly name: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly _meta?: Record<string, unknown>
}

/** The tools of the facade as they are on the wire. */
async function listedRaw(): Promise<Listed[]> {
  const { message } = await new WireClient(hub.endpoint).requestModern('tools/list')
  return message!.result!['tools'] as Listed[]
}

test('a connection of one server is unknown at the URL of another', async () => {
  const connection = await WireClient.connect(new URL(pathOf('reading'), hub.url))
  expect((await connection.request('tools/list')).status).toBe(200)
  const headers = { 'mcp-session-id': connection.id, 'mcp-protocol-version': '2025-11-25' }
  for (const path of ['/mcp', pathOf('files')]) {
    const elsewhere = new WireClient(new URL(path, hub.url), headers)
    expect((await elsewhere.request('tools/call', { name: 'files__write_file' })).status).toBe(404)
    expect((await elsewhere.delete()).status).toBe(404)
  }
  expect((await connection.request('tools/list')).status).toBe(200)
  expect((await new WireClient(new URL(pathOf('nobody'), hub.url)).requestModern('tools/list')).status).toBe(404)
})

test('tools say which server they come from until that is switched off', async () => {
  const client = await hub.connect('legacy', { path: pathOf('reading') })
  expect((await client.tool('every__echo'))['_meta']).toEqual({ 'x-herma': { server: 'every', tool: 'echo' } })
  await hub.ask('PATCH', '/api/servers/reading', { metadata: false })
  expect(await client.tool('every__echo')).not.toHaveProperty('_meta')
  await hub.ask('PATCH', '/api/servers/reading', { metadata: true })
  expect(await client.tool('every__echo')).toHaveProperty('_meta.x-herma')
})

test('another view of a server is in force at once, and its clients hear of it', async () => {
  await hub.ask<ServerView>('POST', '/api/servers', { name: 'changing', view: 'files-only' })
  const clients = await Promise.all(eras.map((era) => hub.connect(era, { path: pathOf('changing') })))
  for (const client of clients) expect(await client.names()).not.toContain('every__echo')
  await hub.ask('PATCH', '/api/servers/changing', { view: 'reader' })
  for (const client of clients) {
    await client.hearChange()
    expect(await client.names()).toContain('every__echo')
  }
  expect((await hub.api('DELETE', '/api/servers/changing')).status).toBe(204)
  await waitFor(async () => ((await fetch(new URL(pathOf('changing'), hub.url))).status === 404 ? true : undefined))
})

test('a file that breaks keeps its views, so that nothing shows that they hide', async () => {
  const robot = await hub.connect('modern', { name: 'robot-1' })
  const file = 'catalog/views.json'
  await hub.write(file, '{ "schemaVersion": 1, "views": [')
  await hub.fragment(file, ({ isEnabled }) => !isEnabled)
  expect(await robot.names()).toEqual(['every__echo'])
  await hub.write(file, { schemaVersion: 1, views: views.slice(0, 2) })
  await waitFor(async () => ((await robot.names()).length > 1 ? true : undefined))
  await hub.write(file, { schemaVersion: 1, views })
  await waitFor(async () => ((await robot.names()).length === 1 ? true : undefined))
})

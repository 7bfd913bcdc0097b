import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { ModernCaller } from '../fixtures/caller/modern-caller.ts'
import { startCatalogHub, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'
import { initialize, WireClient, type WireMessage } from './wire-client.ts'

type Json = Record<string, unknown>

let hub: CatalogHub

const fragment = {
  schemaVersion: 1,
  hiddenTools: [{ server: 'every', tool: 'get-env' }],
  toolOverrides: { servers: { every: { tools: { echo: { name: 'say', description: 'Says it again.' } } } } },
  aggregations: [
    {
      name: 'adder',
      description: 'Adds.',
      inputSchema: { type: 'object', properties: { operation: { type: 'string' } } },
      operations: [{ value: 'add', downstreamServer: 'every', downstreamTool: 'get-sum' }],
    },
  ],
}

beforeAll(async () => {
  hub = await startCatalogHub({
    files: { 'catalog/curated.json': fragment },
    connectors: [
      stdioConnector('every', [serverProgram('everything'), 'stdio']),
      // More than one page of the list.
      catalogConnectors.manyTools(1005, 1, { name: 'many' }),
    ],
  })
})

afterAll(() => hub?.stop())

async function manifestAt(path: string): Promise<Json> {
  const response = await fetch(new URL(path, hub.url))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')])
  return (await response.json()) as Json
}

/** A whole list, page by page. */
async function listAll(request: (params: Json) => Promise<WireMessage | null>, key: string): Promise<unknown[]> {
  const entries: unknown[] = []
  for (let cursor: unknown; ;) {
    const result = (await request(cursor === undefined ? {} : { cursor }))!.result!
    entries.push(...(result[key] as unknown[]))
    if (result['nextCursor'] === undefined) return entries
    cursor = result['nextCursor']
  }
}

test('the manifest at both paths is what clients of both eras list', async () => {
  const manifest = await manifestAt('/mcp/manifest.json')
  expect(await manifestAt('/.well-known/mcp/manifest.json')).toEqual(manifest)
  const legacy = await WireClient.connect(hub.endpoint)
  const modern = new ModernCaller(hub.endpoint)
  const lists = [
    ['tools', 'tools/list'],
    ['prompts', 'prompts/list'],
    ['resources', 'resources/list'],
    ['resourceTemplates', 'resources/templates/list'],
  ] as const
  for (const [key, method] of lists) {
    const listed = await listAll((params) => modern.request(method, params), key)
    expect(manifest[key]).toEqual(listed)
    expect(await listAll(async (params) => (await legacy.request(method, params)).message, key)).toEqual(listed)
    expect(listed.length).toBeGreaterThan(0)
  }
  const names = (manifest['tools'] as { name: string }[]).map(({ name }) => name)
  expect(names.length).toBeGreaterThan(1005)
  expect(names).toEqual(expect.arrayContaining(['say', 'adder', 'every__get-sum']))
  expect(names).not.toContain('every__get-env')
  expect(manifest['endpoints']).toEqual([{ type: 'streamable-http', url: String(hub.endpoint) }])
})

test('initialize, server/discover and the manifest say the same of the hub', async () => {
  const manifest = await manifestAt('/mcp/manifest.json')
  const introduced = (await initialize(hub.endpoint, '2025-11-25')).message!.result!
  const discovered = (await new ModernCaller(hub.endpoint).request('server/discover')).result!
  const { name, version, capabilities, instructions, protocolVersions } = manifest
  expect(introduced['serverInfo']).toMatchObject({ name, version })
  expect(JSON.stringify(discovered['_meta'])).toContain(`"version":"${String(version)}"`)
  expect(discovered).toMatchObject({ capabilities, instructions, supportedVersions: protocolVersions })
  expect(introduced['instructions']).toBe(instructions)
  expect(introduced['capabilities']).toMatchObject({ tools: { listChanged: true }, prompts: {}, resources: {} })
  expect(instructions).toContain('Everything Server')
})

test('a change of the catalog is in the manifest as soon as it is in the list', async () => {
  const client = await hub.connect('modern')
  await hub.write('catalog/curated.json', { ...fragment, hiddenTools: [{ server: 'every', tool: 'get-sum' }] })
  await client.hearChange()
  const names = await waitFor(async () => {
    const listed = await client.names()
    return listed.includes('every__get-env') ? listed : undefined
  })
  const { tools } = (await manifestAt('/mcp/manifest.json')) as { tools: { name: string }[] }
  expect(tools.slice(0, names.length).map(({ name }) => name)).toEqual(names)
  expect(names).not.toContain('every__get-sum')
})

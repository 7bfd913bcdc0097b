import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { createScratch } from '../fixtures/scripted-connector.ts'
import { startCatalogHub, type CatalogHub } from './start-catalog-hub.ts'
import { stdioConnector, waitFor } from './start-test-hub.ts'
import { WireClient, type WireAnswer } from './wire-client.ts'

const word = 'xyzzy'
const vaultProgram = fileURLToPath(new URL('../fixtures/catalog/vault-server.mjs', import.meta.url))

/** Everything that a client may ask for to get at a server that its view hides. */
const attempts: [method: string, params?: Record<string, unknown>][] = [
  ['tools/list'],
  ['prompts/list'],
  ['resources/list'],
  ['resources/templates/list'],
  ['tools/call', { name: 'vault__tell', arguments: {} }],
  ['tools/call', { name: 'tell', arguments: {} }],
  ['tools/call', { name: 'vault__echo', arguments: {} }],
  ['prompts/get', { name: 'vault__prompt' }],
  ['resources/read', { uri: 'guessed://one' }],
  ['resources/subscribe', { uri: 'guessed://one' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'vault__prompt' }, argument: { name: 'x', value: '' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'guessed://{x}' }, argument: { name: 'x', value: '' } }],
  ['tasks/get', { taskId: 'one' }],
  ['tasks/list', {}],
  ['custom/method', {}],
  ['server/discover', {}],
]

const modeAttempts: [tool: string, args: Record<string, unknown>][] = [
  ['search_tools', { query: 'tell echo xyz' }],
  ['search_tools', { query: 'vault' }],
  ['describe_tools', { names: ['vault__tell', 'vault__echo'] }],
  ['call_tool', { name: 'vault__tell', arguments: {} }],
  ['run_code', { code: 'return await tools.vault__tell({})' }],
  ['run_code', { code: 'return [await search("tell"), await describe("vault__tell")]' }],
  ['run_code', { code: 'return Object.keys(tools)' }],
  ['search', { query: 'xyz one' }],
  ['fetch', { id: 'guessed://one' }],
]

const view = { name: 'closed', exclude: [{ server: 'vault' }] }

test('a server that a view hides is heard of in no way, in either era and any mode', async () => {
  await using hub = await startCatalogHub({
    files: { 'catalog/views.json': { schemaVersion: 1, views: [view] } },
    connectors: [stdioConnector('vault', [vaultProgram, word]), stdioConnector('plain', [vaultProgram, 'plain'])],
  })
  await hub.ask('PATCH', '/api/servers/facade', { view: 'closed' })
  for (const mode of ['full', 'search', 'code'])
    await hub.ask('POST', '/api/servers', { name: mode, mode, view: 'closed', fallbacks: 'on' })
  await hub.ask('POST', '/api/servers', { name: 'open' })
  const paths = ['/mcp', ...['full', 'search', 'code'].map((name) => `/api/mcp/servers/${name}/stream`)]
  const heard: string[] = []
  const note = (what: string, answer: unknown) => {
    const said = JSON.stringify(answer)
    // Names that the client itself said come back in errors.
    if (/xyzzy|vault/.test(said.replaceAll(/vault__(tell|echo|prompt)/g, ''))) heard.push(`${what}: ${said}`)
  }
  for (const path of paths) {
    const endpoint = new URL(path, hub.url)
    const introduction = await connectionResult(endpoint)
    note(`${path} initialize`, introduction)
    const legacy = await WireClient.connect(endpoint)
    await legacy.request('logging/setLevel', { level: 'debug' })
    const modern = new WireClient(endpoint)
    for (const [method, params] of attempts) {
      note(`${path} legacy ${method}`, (await legacy.request(method, params)).message)
      note(`${path} modern ${method}`, (await modern.requestModern(method, params)).message)
    }
    for (const [name, args] of modeAttempts) {
      note(`${path} legacy ${name}`, (await legacy.request('tools/call', { name, arguments: args })).message)
      note(`${path} modern ${name}`, (await modern.requestModern('tools/call', { name, arguments: args })).message)
    }
    const stream = await legacy.listen()
    await letTell(hub, 'vault')
    // What is heard of it shows that the other would have been heard.
    await letTell(hub, 'plain')
    for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
      note(`${path} stream`, event.message)
      if (event.message.params?.['data'] === 'plain') break
    }
    stream.cut()
  }
  const manifest = await fetch(`${hub.url}/mcp/manifest.json`)
  note('manifest', await manifest.json())
  expect(heard).toEqual([])
})

test('drift is seen behind a mode that lists other tools than those of the servers', async () => {
  await using scratch = await createScratch()
  const tools = scratch.file('tools.json')
  const describe = (description: string) =>
    writeFile(tools, JSON.stringify([{ name: 'send', description, inputSchema: { type: 'object' } }]))
  await describe('Sends.')
  await using hub = await startCatalogHub({
    connectors: [catalogConnectors.changing(tools, { options: { pinning: 'block' } })],
  })
  await hub.ask('PATCH', '/api/servers/facade', { mode: 'search' })
  await describe('Sends it all.')
  const missing = await waitFor(async () => {
    const drift = await hub.ask<{ missing: string[] }>('GET', '/api/catalog/drift')
    return drift.missing.length > 0 ? drift.missing : undefined
  })
  expect(missing).toEqual(['changing__send'])
})

/** Lets a server log and report outside of any call, and waits until one that sees all of them has heard it. */
async function letTell(hub: CatalogHub, server: string): Promise<void> {
  const open = await WireClient.connect(new URL('/api/mcp/servers/open/stream', hub.url))
  await open.request('logging/setLevel', { level: 'debug' })
  const stream = await open.listen()
  await open.request('tools/call', { name: `${server}__tell`, arguments: {} })
  for (let event = await stream.next(); event?.message.method !== 'notifications/message';) event = await stream.next()
  stream.cut()
  await open.delete()
}

async function connectionResult(endpoint: URL): Promise<WireAnswer['message']> {
  const clientInfo = { name: 'wire', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  return (await new WireClient(endpoint).request('initialize', params)).message
}

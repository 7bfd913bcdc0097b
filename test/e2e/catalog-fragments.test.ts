import type { FragmentView } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { eras, startCatalogHub, textIn, type CatalogClient, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'

let hub: CatalogHub
let clients: CatalogClient[]
/** How the server itself describes its echo. */
let original: string

beforeAll(async () => {
  hub = await startCatalogHub({
    connectors: [stdioConnector('every', [serverProgram('everything'), 'stdio']), catalogConnectors.manyTools(3)],
  })
  clients = await Promise.all(eras.map((era) => hub.connect(era)))
  original = (await seenEcho())!
})

afterAll(() => hub?.stop())

const describeEcho = (description: string) => ({
  schemaVersion: 1,
  toolOverrides: { servers: { every: { tools: { echo: { description } } } } },
})
const seenEcho = async () => {
  const { tools } = (await clients[0]!.client.listTools()) as { tools: { name: string; description?: string }[] }
  return tools.find(({ name }) => name === 'every__echo')?.description
}
const untilEchoIs = (description: string) =>
  waitFor(async () => ((await seenEcho()) === description ? true : undefined))

/** What is listed once every client has heard that something changed. */
async function hearAll(isThere: (names: string[]) => boolean): Promise<void> {
  for (const client of clients) {
    await client.hearChange()
    await waitFor(async () => (isThere(await client.names()) ? true : undefined))
  }
}

const isUsed = ({ isEnabled }: FragmentView) => isEnabled
const isRefused = ({ isEnabled }: FragmentView) => !isEnabled

test('a file that is written, changed and removed is in force at once, and clients of both eras hear of it', async () => {
  const combined = (name: string) => ({
    schemaVersion: 1,
    hiddenTools: [{ server: 'every', tool: 'get-env', reason: 'it shows too much' }],
    aggregations: [
      {
        name,
        description: 'Says it again.',
        inputSchema: { type: 'object', properties: { operation: { type: 'string' }, message: { type: 'string' } } },
        operations: [{ value: 'echo', downstreamServer: 'every', downstreamTool: 'echo' }],
      },
    ],
  })
  expect(await clients[0]!.names()).toContain('every__get-env')

  await hub.write('catalog/10-say.json', combined('say'))
  await hearAll((names) => names.includes('say') && !names.includes('every__get-env'))
  for (const client of clients) expect(textIn(await client.call('say', { message: 'hi' }))).toBe('Echo: hi')

  await hub.write('catalog/10-say.json', combined('repeat'))
  await hearAll((names) => names.includes('repeat') && !names.includes('say'))

  await hub.remove('catalog/10-say.json')
  await hearAll((names) => names.includes('every__get-env') && !names.includes('repeat'))
  for (const client of clients) await expect(client.call('repeat')).rejects.toThrow('Unknown tool')
})

test('a bad file takes no part and says file, line and column, the others stay, and an edit mends it', async () => {
  await hub.write('catalog/20-good.json', describeEcho('From a good file.'))
  await untilEchoIs('From a good file.')

  const bad = '{\n  "schemaVersion": 1,\n  "hiddenTools": [\n    { "server": "every", "tol": "echo" }\n  ]\n}\n'
  await hub.write('catalog/30-bad.json', bad)
  const { errors } = await hub.fragment('catalog/30-bad.json', isRefused)
  expect(errors).toContainEqual(
    expect.objectContaining({ line: 4, column: 26, message: expect.stringContaining('tool') }),
  )
  expect(await seenEcho()).toBe('From a good file.')

  await hub.write('catalog/30-bad.json', bad.replace('}\n  ]', '},\n  ]'))
  const cut = await hub.fragment('catalog/30-bad.json', (view) => isRefused(view) && view.errors[0]?.line === 5)
  expect(cut.errors[0]!.message).toMatch(/comma|JSON|bracket|value/i)

  await hub.write('catalog/30-bad.json', bad.replace('tol', 'tool'))
  await hub.fragment('catalog/30-bad.json', isUsed)
  await waitFor(async () => ((await clients[0]!.names()).includes('every__echo') ? undefined : true))
  await hub.remove('catalog/30-bad.json')
  await untilEchoIs('From a good file.')
  await hub.remove('catalog/20-good.json')
  await untilEchoIs(original)
})

test('layers apply in order: bundles, files by name, and what people set by hand last', async () => {
  await hub.write('catalog/b.json', describeEcho('From b.'))
  await untilEchoIs('From b.')
  await hub.write('bundles/pack/catalog.json', describeEcho('From the bundle.'))
  await hub.fragment('bundles/pack/catalog.json', isUsed)
  expect(await seenEcho()).toBe('From b.')
  await hub.write('catalog/c.json', describeEcho('From c.'))
  await untilEchoIs('From c.')
  await hub.ask('PATCH', '/api/catalog/overrides/every/echo', { description: 'By hand.' })
  await untilEchoIs('By hand.')

  const { fragments } = await hub.ask<{ fragments: FragmentView[] }>('GET', '/api/catalog/fragments')
  expect(fragments.map(({ file }) => file)).toEqual([
    '(defaults)',
    'bundles/pack/catalog.json',
    'catalog/b.json',
    'catalog/c.json',
    '(database)',
  ])

  await hub.ask('DELETE', '/api/catalog/overrides/every/echo')
  await untilEchoIs('From c.')
  await hub.remove('catalog/c.json')
  await untilEchoIs('From b.')
  await hub.remove('catalog/b.json')
  await untilEchoIs('From the bundle.')
  await hub.remove('bundles')
  await untilEchoIs(original)
})

test('a command in custom_tools.json is a tool for both eras, and gone with the file', async () => {
  const program = `
    let text = ''
    process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
      const { words } = JSON.parse(text)
      if (words.length === 0) { console.error('no words'); process.exit(2) }
      console.log(JSON.stringify({ count: words.length, first: words[0] }))
    })`
  const count = {
    name: 'count_words',
    description: 'Counts words.',
    command: process.execPath,
    args: ['-e', program],
    inputSchema: { type: 'object', properties: { words: { type: 'array', items: { type: 'string' } } } },
    outputSchema: { type: 'object', properties: { count: { type: 'integer' }, first: { type: 'string' } } },
  }
  await hub.write('custom_tools.json', { tools: [count, { ...count, name: 'other' }] })
  await hearAll((names) => names.includes('count_words') && names.includes('other'))
  for (const client of clients) {
    const answer = await client.call('count_words', { words: ['one', 'two'] })
    expect(answer.structuredContent).toEqual({ count: 2, first: 'one' })
    const failed = await client.call('count_words', { words: [] })
    expect(failed.isError).toBe(true)
    expect(textIn(failed)).toMatch(/code 2.*no words/s)
  }
  await hub.write('custom_tools.json', { tools: [{ ...count, comand: 'x' }] })
  const { errors } = await hub.fragment('custom_tools.json', isRefused)
  expect(errors[0]).toMatchObject({ line: expect.any(Number), message: expect.stringContaining('command') })
  await hub.remove('custom_tools.json')
  await hearAll((names) => !names.includes('count_words'))
})

test('a fragment of Stelae loads as it is, and what Herma takes differently is said', async () => {
  await hub.write('bundles/starter/catalog.json', {
    schemaVersion: 1,
    name: 'starter-pack',
    coreServers: ['tool_aggregator'],
    servers: [{ name: 'every', transport: 'stdio', command: '{{NPX_BIN}}', args: ['-y', 'server-everything'] }],
    toolOverrides: {
      schemaVersion: 2,
      servers: { every: { enabled: true, tools: { 'get-sum': { annotations: { title: 'Sum' } } } } },
    },
    toolAggregations: {
      schemaVersion: 1,
      proxyURL: 'http://127.0.0.1:9090',
      hiddenTools: [{ server: 'every', tool: 'get-tiny-image', reason: 'Wrapped.' }],
      defaults: { selectorField: 'operation', caseInsensitiveSelector: true, timeoutSeconds: 30 },
      aggregations: [
        {
          name: 'calculator',
          server: 'tool_aggregator',
          description: 'Adds.',
          inputSchema: {
            type: 'object',
            properties: { operation: { type: 'string' }, left: { type: 'number' }, right: { type: 'number' } },
            required: ['operation'],
          },
          operations: [
            {
              value: 'add',
              aliases: ['plus'],
              downstreamServer: 'every',
              downstreamTool: 'get-sum',
              argumentMappings: [
                { target: 'a', from: 'left', required: true },
                { target: 'b', from: 'right', default: 40 },
              ],
              requireAnyOf: [['left', 'right']],
            },
          ],
          hideTools: [{ server: 'every', tool: 'get-sum' }],
        },
      ],
    },
  })
  const { differences } = await hub.fragment('bundles/starter/catalog.json', isUsed)
  expect(differences.map(({ path }) => path)).toEqual(expect.arrayContaining(['coreServers', 'servers']))
  for (const { line } of differences.filter(({ path }) => path === 'servers')) expect(line).toBeGreaterThan(1)
  await waitFor(async () => ((await clients[1]!.names()).includes('calculator') ? true : undefined))
  for (const client of clients) {
    expect(textIn(await client.call('calculator', { operation: 'PLUS', left: 2 }))).toContain('42')
    expect(textIn(await client.call('calculator', { operation: 'add' }))).toContain("'left'")
    const names = await client.names()
    expect(names).not.toContain('every__get-sum')
    expect(names).not.toContain('every__get-tiny-image')
  }
  await hub.remove('bundles')
})

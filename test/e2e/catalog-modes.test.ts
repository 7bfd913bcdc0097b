import type { CostReport, ServerView } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { eras, startCatalogHub, textIn, type CatalogClient, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'

let hub: CatalogHub
let scratch: Scratch

beforeAll(async () => {
  scratch = await createScratch()
  const views = [{ name: 'no-secrets', exclude: [{ tool: 'every__get-env' }] }]
  hub = await startCatalogHub({
    files: { 'catalog/views.json': { schemaVersion: 1, views } },
    connectors: [
      stdioConnector('every', [serverProgram('everything'), 'stdio']),
      catalogConnectors.manyTools(400, 1, { name: 'many' }),
      scriptedConnector('scripted', scratch.file('journal')),
    ],
  })
  await hub.ask<ServerView>('POST', '/api/servers', { name: 'search', mode: 'search', view: 'no-secrets' })
  await hub.ask<ServerView>('POST', '/api/servers', { name: 'code', mode: 'code', view: 'no-secrets' })
})

afterAll(async () => {
  await hub?.stop()
  await scratch?.[Symbol.asyncDispose]()
})

const connect = (era: (typeof eras)[number], server: 'search' | 'code') =>
  hub.connect(era, { path: `/api/mcp/servers/${server}/stream`, capabilities: { elicitation: { form: {} } } })
const run = (client: CatalogClient, code: string) => client.call('run_code', { code })
const valueOf = async (client: CatalogClient, code: string) => JSON.parse(textIn(await run(client, code))) as unknown

describe.each(eras)('search mode, driven by a %s client,', (era) => {
  test('finds a tool among hundreds, describes it and calls it', async () => {
    const client = await connect(era, 'search')
    expect((await client.names()).toSorted()).toEqual(['call_tool', 'describe_tools', 'search_tools'])
    const found = (await client.call('search_tools', { query: 'add two numbers', limit: 5 })).structuredContent as {
      tools: { name: string; server: string; tokens: number }[]
      catalog: { tools: number }
    }
    expect(found.catalog.tools).toBeGreaterThan(400)
    const [best] = found.tools
    expect(best).toMatchObject({ name: 'every__get-sum', server: 'every', tokens: expect.any(Number) })

    const described = (await client.call('describe_tools', { names: [best!.name] })).structuredContent as {
      tools: { name: string; inputSchema: { properties: object } }[]
    }
    expect(Object.keys(described.tools[0]!.inputSchema.properties)).toEqual(['a', 'b'])
    const called = await client.call('call_tool', { name: best!.name, arguments: { a: 40, b: 2 } })
    expect(textIn(called)).toContain('42')
    const structured = { name: 'every__get-structured-content', arguments: { location: 'Chicago' } }
    expect((await client.call('call_tool', structured)).structuredContent).toHaveProperty('temperature')
  })

  test('says which tool may have been meant, and neither finds nor calls what its view hides', async () => {
    const client = await connect(era, 'search')
    const misspelt = await client.call('call_tool', { name: 'every__get_summ', arguments: {} })
    expect([misspelt.isError, textIn(misspelt)]).toEqual([true, expect.stringContaining('every__get-sum')])
    const found = await client.call('search_tools', { query: 'environment variables', limit: 50 })
    expect(JSON.stringify(found)).not.toContain('get-env')
    const refusal = async (name: string) => textIn(await client.call('call_tool', { name, arguments: {} }))
    expect(await refusal('every__get-env')).toMatch(/^There is no tool 'every__get-env'\./)
    expect(textIn(await client.call('describe_tools', { names: ['every__get-env'] }))).not.toContain('inputSchema')
    await expect(client.call('every__get-env')).rejects.toThrow('Unknown tool')
  })

  test('lets a called tool ask the client', async () => {
    const client = await connect(era, 'search')
    const answer = await client.call('call_tool', { name: 'every__trigger-elicitation-request', arguments: {} })
    expect(textIn(answer)).toContain('- Name: ada')
    expect(client.asked).toHaveLength(1)
  })
})

describe.each(eras)('code mode, driven by a %s client,', (era) => {
  test('runs a script that makes ten calls at once and returns only what it needs', async () => {
    const client = await connect(era, 'code')
    expect(await client.names()).toEqual(['run_code'])
    const code = `
      const [found] = await searchTools('sum of two numbers', 3)
      const sums = await Promise.all(
        Array.from({ length: 10 }, (_, index) => tools[found.name]({ a: index, b: 1 })))
      console.log(sums.length)
      return { tool: found.name, last: sums[9] }`
    const answer = await run(client, code)
    expect(answer.content.map(({ text }) => text)).toEqual([
      JSON.stringify({ tool: 'every__get-sum', last: 'The sum of 9 and 1 is 10.' }),
      'Console:\n10',
    ])
  })

  test('says in which line a script failed, and stops one that never ends', async () => {
    const client = await connect(era, 'code')
    const failed = await run(client, `const a = 1\nawait tools['scripted__echo']({ text: 'x' })\nthrow new Error('no')`)
    expect([failed.isError, textIn(failed)]).toEqual([true, expect.stringMatching(/no\n.*script\.js:3/)])
    const unknown = await run(client, `return await tools.every__get_summ({})`)
    expect([unknown.isError, textIn(unknown)]).toEqual([true, expect.stringContaining('every__get-sum')])
    const endless = await client.call('run_code', { code: 'for (;;) {}', timeoutSeconds: 1 })
    expect([endless.isError, textIn(endless)]).toEqual([true, expect.stringMatching(/time|endless/)])
    expect(await valueOf(client, 'return 1 + 1')).toBe(2)
  })

  test('reaches nothing but the tools that the client may see', async () => {
    const client = await connect(era, 'code')
    const kinds = `return [typeof process, typeof require, typeof fetch, typeof setTimeout]`
    expect(await valueOf(client, kinds)).toEqual(['undefined', 'undefined', 'undefined', 'undefined'])
    expect(textIn(await run(client, `return await tools['every__get-env']({})`))).toContain('There is no tool')
    expect(JSON.stringify(await client.tool('run_code'))).not.toContain('get-env')
    expect(await valueOf(client, `return await searchTools('environment variables', 50)`)).not.toContainEqual(
      expect.objectContaining({ name: 'every__get-env' }),
    )
  })

  test('lets a tool ask the client in the middle of a script', async () => {
    const client = await connect(era, 'code')
    const code = `
      const before = await tools['every__get-sum']({ a: 1, b: 1 })
      const asked = await tools['every__trigger-elicitation-request']({})
      return JSON.stringify([before, asked])`
    expect(textIn(await run(client, code))).toContain('- Name: ada')
    expect(client.asked).toHaveLength(1)
  })

  test('ends the script and the calls that it waits for when the client cancels', async () => {
    const client = await connect(era, 'code')
    const before = readJournal(scratch.file('journal')).length
    const entries = () => readJournal(scratch.file('journal')).slice(before)
    const controller = new AbortController()
    const code = `await tools.scripted__hold({})\nreturn await tools.scripted__echo({ text: 'never' })`
    const ended = expect(client.call('run_code', { code }, { signal: controller.signal })).rejects.toThrow(
      /enough|abort/i,
    )
    const held = await waitFor(() => entries().find(({ name }) => name === 'hold'))
    controller.abort('enough')
    await ended
    await waitFor(() => entries().find(({ requestId, pid }) => requestId === held.id && pid === held.pid))
    expect(await valueOf(client, 'return 7')).toBe(7)
    expect(entries().filter(({ name }) => name === 'echo')).toEqual([])
  })
})

test('a mode is switched for clients that are connected, and costs a fraction', async () => {
  const client = await hub.connect('legacy')
  expect((await client.names()).length).toBeGreaterThan(400)
  await hub.ask('PATCH', '/api/servers/facade', { mode: 'search' })
  await client.hearChange()
  expect(await client.names()).toHaveLength(3)
  await hub.ask('PATCH', '/api/servers/facade', { mode: 'full' })
  await client.hearChange()
  expect((await client.names()).length).toBeGreaterThan(400)

  const { modes, servers, tools } = await hub.ask<CostReport>('GET', '/api/catalog/cost')
  const costs = Object.fromEntries(modes.map(({ mode, tokens }) => [mode, tokens]))
  expect(costs['search']! * 10).toBeLessThan(costs['full']!)
  expect(costs['code']! * 10).toBeLessThan(costs['full']!)
  expect(servers[0]).toMatchObject({ server: 'many', tools: 400 })
  expect(tools).toBeGreaterThan(400)
})

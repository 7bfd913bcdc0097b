import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FieldView, OverrideView, ToolDetail } from '@herma/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { catalogConnectors } from '../fixtures/catalog/catalog-connectors.ts'
import { eras, startCatalogHub, textIn, type CatalogClient, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'

let hub: CatalogHub
let clients: CatalogClient[]

beforeAll(async () => {
  hub = await startCatalogHub({
    connectors: [stdioConnector('every', [serverProgram('everything'), 'stdio']), catalogConnectors.badOutput()],
  })
  clients = await Promise.all(eras.map((era) => hub.connect(era)))
})

afterAll(() => hub?.stop())

const change = (tool: string, body: object) => hub.api('PATCH', `/api/catalog/overrides/every/${tool}`, body)
const detailOf = (tool: string, from = hub, server = 'every') =>
  from.ask<ToolDetail>('GET', `/api/catalog/tools/${server}/${tool}`)
const fieldOf = ({ fields }: ToolDetail, name: string) => fields.find(({ field }) => field === name) as FieldView

test('every field of a tool can be overridden by hand, and people see original, override and exposed', async () => {
  const inputSchema = { type: 'object', properties: { message: { type: 'string', maxLength: 10 } } }
  const override = {
    name: 'say',
    title: 'Say it',
    description: 'Says it again.',
    annotations: { openWorldHint: true },
    inputSchema,
    tags: ['talk'],
  }
  expect(await change('echo', override)).toMatchObject({ status: 200 })
  for (const client of clients) {
    await client.hearChange()
    const names = await client.names()
    expect(names).not.toContain('every__echo')
    expect(await client.tool('say')).toMatchObject({
      title: 'Say it',
      description: 'Says it again.',
      annotations: { readOnlyHint: true, openWorldHint: true },
      inputSchema,
      _meta: { 'x-herma': { server: 'every', tool: 'echo' } },
    })
    expect(textIn(await client.call('say', { message: 'hi' }))).toBe('Echo: hi')
    await expect(client.call('every__echo', { message: 'hi' })).rejects.toThrow('Unknown tool')
  }
  const detail = await detailOf('echo')
  expect(detail).toMatchObject({ name: 'say', tags: ['talk'], hiddenBecause: null })
  expect(fieldOf(detail, 'name')).toMatchObject({ original: 'echo', override: 'say', exposed: 'say' })
  expect(fieldOf(detail, 'description')).toMatchObject({
    original: expect.stringContaining('Echoes'),
    override: 'Says it again.',
    exposed: 'Says it again.',
    origin: '(database)',
    state: 'kept',
  })
  expect(fieldOf(detail, 'annotations').exposed).toMatchObject({ readOnlyHint: true, openWorldHint: true })

  expect(await change('echo', { name: null, title: null })).toMatchObject({ status: 200 })
  expect((await clients[0]!.tool('every__echo'))['description']).toBe('Says it again.')
  const { overrides } = await hub.ask<{ overrides: OverrideView[] }>('GET', '/api/catalog/overrides')
  expect(Object.keys(overrides[0]!.override).toSorted()).toEqual(['annotations', 'description', 'inputSchema', 'tags'])
  expect((await hub.api('DELETE', '/api/catalog/overrides/every/echo')).status).toBe(204)
  expect((await clients[0]!.tool('every__echo'))['description']).toContain('Echoes')
  expect((await hub.api('DELETE', '/api/catalog/overrides/every/echo')).status).toBe(404)
})

test('a tool that is disabled by hand is gone for clients, and wildcards disable many', async () => {
  await change('get-env', { enabled: false })
  for (const client of clients) await expect(client.call('every__get-env')).rejects.toThrow('Unknown tool')
  expect(await detailOf('get-env')).toMatchObject({ name: null, hiddenBecause: 'disabled in (database)' })
  await change('get-*', { enabled: false })
  expect((await clients[1]!.names()).filter((name) => name.startsWith('every__get-'))).toEqual([])
  await change('get-sum', { enabled: true })
  expect((await clients[1]!.names()).filter((name) => name.startsWith('every__get-'))).toEqual(['every__get-sum'])
  for (const tool of ['get-env', 'get-*', 'get-sum']) await hub.api('DELETE', `/api/catalog/overrides/every/${tool}`)
  expect(await clients[1]!.names()).toContain('every__get-env')
})

test.each([
  [{ name: 'not a name' }, 'name'],
  [{ tags: ['Not A Tag'] }, 'tags'],
  [{ annotations: { colour: 'red' } }, 'annotations'],
  [{ colour: 'red' }, 'colour'],
])('the override %j is refused, and the answer names what is wrong', async (body, named) => {
  const { status, body: answer } = await change('echo', body)
  expect([status, JSON.stringify(answer)]).toEqual([422, expect.stringContaining(named)])
})

test('an override is kept, conflicts or is obsolete as its server changes, and an accepted one is kept again', async () => {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  const file = join(home.path, 'tools.json')
  const offer = (description: string) =>
    writeFile(file, JSON.stringify([{ name: 'read', description, title: 'Read', inputSchema: { type: 'object' } }]))
  await offer('Reads.')
  const untilSaid = (from: CatalogHub, original: string) =>
    waitFor(async () => {
      const field = fieldOf(await detailOf('read', from, 'changing'), 'description')
      return field.original === original ? field : undefined
    })
  {
    await using first = await startCatalogHub({ home: home.path, connectors: [catalogConnectors.changing(file)] })
    await first.ask('PATCH', '/api/catalog/overrides/changing/read', { description: 'Reads well.' })
    expect(await untilSaid(first, 'Reads.')).toMatchObject({ state: 'kept', exposed: 'Reads well.' })
    await offer('Reads slowly.')
    expect(await untilSaid(first, 'Reads slowly.')).toMatchObject({
      state: 'conflicting',
      base: 'Reads.',
      exposed: 'Reads well.',
    })
  }
  await using again = await startCatalogHub({ home: home.path })
  expect(await untilSaid(again, 'Reads slowly.')).toMatchObject({ state: 'conflicting', base: 'Reads.' })
  const accepted = await again.ask<ToolDetail>('POST', '/api/catalog/overrides/changing/read/accept')
  expect(fieldOf(accepted, 'description')).toMatchObject({ state: 'kept', base: 'Reads slowly.' })
  const client = await again.connect('modern')
  await client.call('changing__read')
  await offer('Reads well.')
  expect(await untilSaid(again, 'Reads well.')).toMatchObject({ state: 'obsolete' })
})

test('a tool that answers otherwise than its output schema says is listed without it, and both SDKs can call it', async () => {
  for (const tool of ['wrong_type', 'only_text', 'missing_field']) {
    const name = `bad-output__${tool}`
    for (const client of clients) expect(await client.tool(name)).toHaveProperty('outputSchema.required')
    // An SDK refuses the answer; what it refuses the hub has seen.
    await clients[1]!.call(name).catch(() => undefined)
    for (const client of clients) {
      await waitFor(async () => {
        const { outputSchema } = await client.tool(name)
        return outputSchema === undefined || !('required' in (outputSchema as object)) ? true : undefined
      })
    }
    await clients[0]!.call(name)
    const { schema } = await detailOf(tool, hub, 'bad-output')
    expect(schema).toMatchObject({ state: 'adapted', changes: [{ path: 'outputSchema', what: expect.any(String) }] })
  }
  for (const client of clients) {
    const fitting = await client.call('bad-output__fits')
    expect(fitting.structuredContent).toMatchObject({ count: 2 })
    expect(textIn(await client.call('bad-output__only_text'))).toContain('ada')
    expect(textIn(await client.call('bad-output__wrong_type'))).toContain('two')
    expect(await client.tool('bad-output__fits')).toHaveProperty('outputSchema.required')
  }
  expect((await detailOf('fits', hub, 'bad-output')).schema.state).toBe('original')
})

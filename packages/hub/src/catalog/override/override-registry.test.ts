import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Events, type HubEvent } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { openTestStore, storeKinds, type TestStore } from '../../platform/testing/test-store.ts'
import { rulesFor, type CatalogRules } from '../core/catalog-rules.ts'
import { hermaSource, type CatalogSource } from '../core/catalog-source.ts'
import { OverrideRegistry } from './override-registry.ts'

const files: CatalogSource = { ...hermaSource, id: 'id-1', name: 'files' }

describe.each(storeKinds)('overrides in the %s store', (kind) => {
  let opened: TestStore
  let events: HubEvent[]

  beforeAll(async () => {
    opened = await openTestStore(kind)
  })
  beforeEach(() => opened.store.pool.query('delete from tool_override; delete from override_base'))
  afterAll(() => opened?.close())

  async function openRegistry(): Promise<OverrideRegistry> {
    const bus = new Events()
    events = []
    bus.listen((event) => events.push(event))
    const overrides = new OverrideRegistry({ db: opened.store.db, events: bus, log: createLog('silent') })
    await overrides.start()
    return overrides
  }

  /** Applies a description to the tool `read`, whose server says this. */
  function note(overrides: OverrideRegistry, original: string, description: string): void {
    const rule = { server: 'files', tool: 'read', override: { description }, origin: 'test' }
    const rules: CatalogRules = { overrides: [rule], hidden: [], ownTools: [] }
    const applied = rulesFor(rules, 'files')('read')
    overrides.note(files, [{ descriptor: { name: 'read', description: original }, applied }])
  }
  const stateOf = (overrides: OverrideRegistry, original: string) =>
    overrides.statesOf('id-1', { name: 'read', description: original }).description

  test('add up field by field, and null takes one back', async () => {
    const overrides = await openRegistry()
    let changes = 0
    overrides.onChange = () => void changes++
    await overrides.change('files', 'read', { description: 'opens', tags: ['daily'] })
    expect(await overrides.change('files', 'read', { title: 'Open', description: null })).toEqual({
      tags: ['daily'],
      title: 'Open',
    })
    expect((await openRegistry()).list()).toEqual([
      { server: 'files', tool: 'read', override: { tags: ['daily'], title: 'Open' } },
    ])
    expect(changes).toBe(2)
  })

  test('of many tools are changed together, or none of them', async () => {
    const overrides = await openRegistry()
    let changes = 0
    overrides.onChange = () => void changes++
    await overrides.change('files', 'write', { enabled: false, title: 'Write' })
    await overrides.changeAll([
      { server: 'files', tool: 'read', change: { enabled: false } },
      { server: 'files', tool: 'read', change: { tags: ['daily'] } },
      { server: 'files', tool: 'write', change: { enabled: null, title: null } },
    ])
    expect(changes).toBe(2)
    const kept = [{ server: 'files', tool: 'read', override: { enabled: false, tags: ['daily'] } }]
    expect((await openRegistry()).list()).toEqual(kept)
    const named = { server: 'files', tool: '*', change: { name: 'one' } }
    const other = { server: 'files', tool: 'list', change: { enabled: false } }
    await expect(overrides.changeAll([other, named])).rejects.toMatchObject({ code: 'CATALOG_INVALID' })
    expect(overrides.list()).toEqual(kept)
  })

  test('are gone when the last field is taken back, or all at once', async () => {
    const overrides = await openRegistry()
    await overrides.change('files', 'read', { title: 'Open' })
    await overrides.change('files', 'read', { title: null })
    await overrides.change('a', 'b', { enabled: false })
    expect(await overrides.remove('a', 'b')).toBe(true)
    expect(await overrides.remove('a', 'b')).toBe(false)
    expect((await openRegistry()).list()).toEqual([])
    expect(overrides.toFragment().toolOverrides?.servers).toEqual({})
  })

  test('that are no overrides are refused, and nothing changes', async () => {
    const overrides = await openRegistry()
    await expect(overrides.change('files', 'read', { name: 'no spaces please' })).rejects.toThrow('1 to 52 letters')
    expect(overrides.list()).toEqual([])
    expect(events).toEqual([])
  })

  test('become a fragment, whatever their names', async () => {
    const overrides = await openRegistry()
    for (const name of ['__proto__', 'constructor', 'git-*']) await overrides.change(name, name, { enabled: false })
    const servers = overrides.toFragment().toolOverrides!.servers
    expect(Object.keys(servers)).toEqual(['__proto__', 'constructor', 'git-*'])
    for (const [name, { tools }] of Object.entries(servers)) expect(Object.keys(tools)).toEqual([name])
  })

  test('know what they were made against, also after a restart', async () => {
    const overrides = await openRegistry()
    note(overrides, 'reads', 'opens')
    await overrides.stop()
    const again = await openRegistry()
    note(again, 'reads well', 'opens')
    expect(stateOf(again, 'reads well')).toEqual({ state: 'conflicting', base: 'reads' })
    expect(stateOf(again, 'opens')?.state).toBe('obsolete')
    again.accept('id-1', { name: 'read', description: 'reads well' })
    await again.stop()
    const third = await openRegistry()
    expect(stateOf(third, 'reads well')).toEqual({ state: 'kept', base: 'reads well' })
    third.forget('id-1')
    await third.stop()
    expect(stateOf(await openRegistry(), 'reads well')).toBeUndefined()
  })

  test('made anew are made against what the server says now', async () => {
    const overrides = await openRegistry()
    note(overrides, 'reads', 'opens')
    note(overrides, 'reads well', 'opens a file')
    expect(stateOf(overrides, 'reads well')).toEqual({ state: 'kept', base: 'reads well' })
    await overrides.stop()
  })

  test('in a row that cannot be read are left out, and the others serve', async () => {
    await opened.store.pool.query(`insert into tool_override (server, tool, override) values ('a', 'b', '{"name": 5}')`)
    await opened.store.pool.query(
      `insert into tool_override (server, tool, override) values ('a', 'c', '{"title": "C"}')`,
    )
    expect((await openRegistry()).list().map(({ tool }) => tool)).toEqual(['c'])
  })
})

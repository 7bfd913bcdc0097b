import { beforeEach, describe, expect, test } from 'vitest'
import type { Descriptor } from '../../wire/index.ts'
import { Catalog } from './catalog.ts'
import type { CatalogKind, CatalogSource } from './catalog-source.ts'

let changes: CatalogKind[][]
let catalog: Catalog

beforeEach(() => {
  changes = []
  catalog = new Catalog((kinds) => changes.push([...kinds]))
})

type Lists = Partial<Record<CatalogKind, readonly Descriptor[]>>

function source(name: string, position: number, lists: Lists, prefix = name): CatalogSource {
  const descriptors = { read: (kind: CatalogKind) => lists[kind] ?? [] }
  return { id: `id-${name}`, name, prefix, position, pinPolicy: 'warn', descriptors }
}

const named = (...names: string[]) => names.map((name) => ({ name }))

function list(of: Catalog, kind: CatalogKind): Record<string, unknown>[] {
  const entries = JSON.parse(of.page(kind, undefined)!.entries.toString('utf8')) as Descriptor[]
  return entries.map(withoutOrigin)
}

function withoutOrigin(descriptor: Descriptor): Descriptor {
  const { 'x-herma': _, ...kept } = (descriptor['_meta'] ?? {}) as Descriptor
  const { _meta, ...rest } = descriptor
  return Object.keys(kept).length > 0 ? { ...descriptor, _meta: kept } : rest
}

const names = (of: Catalog, kind: CatalogKind) => list(of, kind).map((entry) => entry['name'])

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}

describe('names', () => {
  test('lead to their connector and its own name', () => {
    catalog.set(source('files', 1, { tools: named('read.file'), prompts: named('ask') }))
    expect(names(catalog, 'tools')).toEqual(['files__read_file'])
    expect(catalog.tool('files__read_file')).toMatchObject({ source: { id: 'id-files' }, original: 'read.file' })
    expect(catalog.prompt('files__ask')).toMatchObject({ source: { id: 'id-files' }, original: 'ask' })
    expect(catalog.tool('files__ask')).toBeUndefined()
    expect(catalog.tool('read.file')).toBeUndefined()
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])('are not found by accident: %j', (name) => {
    expect(catalog.tool(name)).toBeUndefined()
    expect(catalog.prompt(name)).toBeUndefined()
    expect(catalog.resourceOwners(name)).toEqual([])
    expect(catalog.templateOwner(name)).toBeUndefined()
  })

  test.each(['__proto__', 'constructor', 'toString'])('may be %s', (name) => {
    catalog.set(source('odd', 1, { tools: named(name) }, ''))
    expect(catalog.tool(name)).toMatchObject({ original: name })
    expect(names(catalog, 'tools')).toEqual([name])
  })

  test('change nothing else in a descriptor', () => {
    const inputSchema = { type: 'object' }
    const tool = {
      name: 'a',
      z: { deep: [1, null] },
      inputSchema,
      _meta: { 'x/y': 1 },
      execution: { taskSupport: 'optional' },
    }
    catalog.set(source('s', 1, { tools: [tool] }))
    expect(list(catalog, 'tools')).toEqual([{ ...tool, name: 's__a' }])
    expect(Object.keys(list(catalog, 'tools')[0]!)).toEqual(Object.keys(tool))
    expect(tool.name).toBe('a')
  })

  test('keep the parameters that a tool wants mirrored into headers', () => {
    const inputSchema = { properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
    catalog.set(source('s', 1, { tools: [{ name: 'a', inputSchema }, { name: 'b' }] }))
    expect(catalog.tool('s__a')!.paramHeaders).toEqual([{ header: 'mcp-param-region', path: ['region'] }])
    expect(catalog.tool('s__b')!.paramHeaders).toBeNull()
  })
})

describe('collisions', () => {
  const first = source('first', 1, { tools: named('read', 'only'), prompts: named('ask') }, '')
  const second = source('second', 2, { tools: named('read'), prompts: named('ask') }, '')
  const third = source('third', 3, { tools: named('read') }, '')

  test('leave the name to the connector that was created first, and are reported', () => {
    catalog.set(third, second, first)
    expect(names(catalog, 'tools')).toEqual(['read', 'only', 'second__read', 'third__read'])
    expect(catalog.tool('read')!.source.id).toBe('id-first')
    expect(catalog.tool('second__read')).toMatchObject({ source: { id: 'id-second' }, original: 'read' })
    expect(catalog.collisions()).toEqual([
      { kind: 'tool', wanted: 'read', winner: 'first', loser: 'second', exposedAs: 'second__read' },
      { kind: 'tool', wanted: 'read', winner: 'first', loser: 'third', exposedAs: 'third__read' },
      { kind: 'prompt', wanted: 'ask', winner: 'first', loser: 'second', exposedAs: 'second__ask' },
    ])
  })

  test('end when the winner goes', () => {
    catalog.set(first, second)
    catalog.remove('id-first')
    expect(names(catalog, 'tools')).toEqual(['read'])
    expect(catalog.tool('read')!.source.id).toBe('id-second')
    expect(catalog.collisions()).toEqual([])
  })

  test('within one connector leave every tool reachable under a name of its own', () => {
    catalog.set(source('s', 1, { tools: named('a.b', 'a/b', 'a b', 'a_b') }))
    const exposed = names(catalog, 'tools')
    expect(new Set(exposed).size).toBe(4)
    expect(exposed.map((name) => catalog.tool(name as string)!.original)).toEqual(['a.b', 'a/b', 'a b', 'a_b'])
  })

  test('of an alternative name with a real one are resolved too', () => {
    const trap = source('trap', 0, { tools: named('second__read') }, '')
    catalog.set(trap, first, second)
    const exposed = names(catalog, 'tools') as string[]
    expect(exposed.slice(0, 3)).toEqual(['second__read', 'read', 'only'])
    expect(exposed[3]).toMatch(/^second__read_[0-9a-f]{6}$/)
    expect(catalog.tool(exposed[3]!)).toMatchObject({ source: { id: 'id-second' }, original: 'read' })
  })

  test('of URIs leave the later one out, since URIs are not rewritten', () => {
    const uri = 'file:///a'
    const uriTemplate = 'file:///{path}'
    const lists = { resources: [{ uri, name: 'a' }], resourceTemplates: [{ uriTemplate, name: 't' }] }
    catalog.set(source('late', 2, lists), source('early', 1, lists))
    expect(list(catalog, 'resources')).toEqual([{ uri, name: 'a' }])
    expect(catalog.resourceOwners(uri)).toEqual(['id-early'])
    expect(catalog.templateOwner(uriTemplate)).toBe('id-early')
    expect(catalog.collisions()).toEqual([
      { kind: 'resource', wanted: uri, winner: 'early', loser: 'late', exposedAs: null },
      { kind: 'resourceTemplate', wanted: uriTemplate, winner: 'early', loser: 'late', exposedAs: null },
    ])
  })
})

test('the catalog is the same whatever the order of arrival', () => {
  const sources = [
    source('a', 1, { tools: named('x', 'y'), resources: [{ uri: 'u:1' }], prompts: named('p') }, ''),
    source('b', 2, { tools: named('y', 'x'), resources: [{ uri: 'u:1' }, { uri: 'u:2' }] }, ''),
    source('c', 3, { tools: named('b__x', 'b__y'), resourceTemplates: [{ uriTemplate: 'u:{n}' }] }, ''),
    source('d', 4, { tools: named('x'), prompts: named('p') }, 'b'),
  ]
  const describeCatalog = (of: Catalog) => ({
    lists: (['tools', 'resources', 'resourceTemplates', 'prompts'] as const).map((kind) => list(of, kind)),
    collisions: of.collisions(),
    routes: names(of, 'tools').map((name) => of.tool(name as string)),
  })
  const seen = permutations(sources).map((order) => {
    const each = new Catalog(() => {})
    for (const one of order) each.set(one)
    return JSON.stringify(describeCatalog(each))
  })
  catalog.set(...sources)
  expect(new Set(seen)).toEqual(new Set([JSON.stringify(describeCatalog(catalog))]))
})

describe('a change', () => {
  test('is told once, with the lists that it is about', () => {
    catalog.set(source('s', 1, { tools: named('a') }))
    catalog.set(source('s', 1, { tools: named('a'), prompts: named('p'), resources: [{ uri: 'u:1' }] }))
    catalog.set(source('s', 1, { tools: named('a') }))
    expect(changes).toEqual([['tools'], ['resources', 'prompts'], ['resources', 'prompts']])
  })

  test('that clients cannot see is not told', () => {
    catalog.set(source('s', 1, { tools: named('a') }))
    catalog.set(source('s', 1, { tools: named('a') }))
    catalog.set(source('empty', 2, {}))
    catalog.remove('id-empty')
    catalog.remove('id-unknown')
    expect(changes).toEqual([['tools']])
  })

  test('of many connectors at once is told once', () => {
    catalog.set(...Array.from({ length: 50 }, (_, index) => source(`s${index}`, index, { tools: named('a', 'b') })))
    expect(changes).toEqual([['tools']])
    expect(catalog.counts()).toEqual({ tools: 100, resources: 0, resourceTemplates: 0, prompts: 0 })
  })

  test('of a descriptor, a prefix or an order counts', () => {
    catalog.set(source('s', 1, { tools: named('a', 'b') }))
    catalog.set(source('s', 1, { tools: [{ name: 'a', description: 'new' }, { name: 'b' }] }))
    catalog.set(source('s', 1, { tools: named('b', 'a') }))
    catalog.set(source('s', 1, { tools: named('b', 'a') }, 'other'))
    expect(changes).toHaveLength(4)
  })
})

describe('the owners of a URI', () => {
  beforeEach(() => {
    catalog.set(
      source('a', 1, { resources: [{ uri: 'file:///a' }] }),
      source('b', 2, { resourceTemplates: [{ uriTemplate: 'file:///b/{x}' }] }),
      source('c', 3, { resources: [{ uri: 'other://c' }] }),
    )
  })

  test.each([
    ['file:///a', ['id-a']],
    ['file:///b/1', ['id-b', 'id-a', 'id-c']],
    ['file:///unknown', ['id-a', 'id-b', 'id-c']],
    ['other://unknown', ['id-c', 'id-a', 'id-b']],
    ['new://unknown', ['id-a', 'id-b', 'id-c']],
    ['no scheme', ['id-a', 'id-c', 'id-b']],
  ])('of %s are %j, the likeliest first', (uri, owners) => {
    expect(catalog.resourceOwners(uri)).toEqual(owners)
  })
})

test('a tool is summed up for people, per connector or for all', () => {
  catalog.set(source('a', 1, { tools: [{ name: 'x', title: 'X', description: 'does x' }] }))
  catalog.set(source('b', 2, { tools: [{ name: 'y', title: 5, description: null }] }))
  expect(catalog.tools()).toEqual([
    expect.objectContaining({ name: 'a__x', connector: 'a', originalName: 'x', title: 'X', description: 'does x' }),
    expect.objectContaining({ name: 'b__y', connector: 'b', originalName: 'y', title: null, description: '' }),
  ])
  expect(catalog.tools('id-b').map(({ name }) => name)).toEqual(['b__y'])
  expect(catalog.tools('id-unknown')).toEqual([])
})

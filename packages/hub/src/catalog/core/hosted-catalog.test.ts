import { beforeEach, expect, test } from 'vitest'
import type { Descriptor } from '../../wire/index.ts'
import { Catalog } from './catalog.ts'
import { noRules } from './catalog-rules.ts'
import type { CatalogKind, CatalogSource } from './catalog-source.ts'
import { HostedCatalog } from './hosted-catalog.ts'
import { plainSettings, Scopes } from '../scope/scopes.ts'

const anybody = { server: 'alone', principal: 'operator', clientInfo: undefined }

let changes: CatalogKind[][]
let catalog: Catalog
let scopes: Scopes

beforeEach(() => {
  changes = []
  catalog = new Catalog((kinds) => changes.push([...kinds]))
  scopes = new Scopes({
    catalog,
    settingsOf: (server) => ({ ...plainSettings, host: server === 'alone' ? 'id-notes' : undefined }),
    ownServer: () => undefined,
    modeTools: () => [],
    fallbacks: () => [],
  })
})

type Lists = Partial<Record<CatalogKind, readonly Descriptor[]>>

function source(name: string, lists: Lists, rest: Partial<CatalogSource> = {}): CatalogSource {
  const descriptors = { read: (kind: CatalogKind) => lists[kind] ?? [] }
  return { id: `id-${name}`, name, prefix: name, position: 1, pinPolicy: 'warn', descriptors, ...rest }
}

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })

function names(server: string, kind: CatalogKind): unknown[] {
  const { entries } = scopes.for({ ...anybody, server }).page(kind, undefined)!
  return (JSON.parse(entries.toString('utf8')) as Descriptor[]).map(({ name }) => name)
}

test('a hosted connector has its own names, and lists nothing of the others', () => {
  const lists = { tools: [tool('a.b'), tool('c')], prompts: [{ name: 'p' }], resources: [{ uri: 'x:1', name: 'one' }] }
  catalog.set(
    source('other', { tools: [tool('c')], resources: [{ uri: 'x:1', name: 'theirs' }] }),
    source('notes', lists),
  )
  expect([names('alone', 'tools'), names('alone', 'prompts'), names('alone', 'resources')]).toEqual([
    ['a.b', 'c'],
    ['p'],
    ['one'],
  ])
  expect(names('facade', 'tools')).toEqual(['other__c', 'notes__a_b', 'notes__c'])
  expect(names('facade', 'resources')).toEqual(['theirs'])
  const scope = scopes.for(anybody)
  expect(scope.tool('a.b')).toMatchObject({ original: 'a.b', source: { name: 'notes' } })
  expect(scope.tool('notes__c')).toBeUndefined()
  expect(scope.prompt('p')).toMatchObject({ original: 'p' })
  expect(scope.resourceOwners('x:1')).toEqual(['id-notes'])
  expect([scope.seesServer('notes'), scope.seesServer('other')]).toEqual([true, false])
  expect(scope.page('tools', undefined)!.entries.toString('utf8')).not.toContain('other')
  expect(scope.listedCount()).toBe(2)
})

test('a connector that is not listed is nowhere but at its host, and a change of it is told', () => {
  catalog.set(source('notes', { tools: [tool('c')], prompts: [{ name: 'p' }] }, { isUnlisted: true }))
  expect([names('alone', 'tools'), names('alone', 'prompts')]).toEqual([['c'], ['p']])
  expect([names('facade', 'tools'), names('facade', 'prompts')]).toEqual([[], []])
  expect([catalog.connectorIds(), catalog.resourceOwners('x:1')]).toEqual([[], []])
  expect(scopes.for({ ...anybody, server: 'facade' }).seesServer('notes')).toBe(false)
  expect(catalog.tools('id-notes')).toMatchObject([{ name: 'c', connector: 'notes' }])
  expect(catalog.member('notes', 'c')).toMatchObject({ hiddenBecause: 'its connector is not listed' })
  changes = []
  catalog.set(source('notes', { tools: [tool('c')], prompts: [{ name: 'p' }] }, { isUnlisted: true }))
  expect(changes).toEqual([])
  catalog.set(source('notes', { tools: [tool('d')] }, { isUnlisted: true }))
  expect(changes).toHaveLength(1)
  expect(names('alone', 'tools')).toEqual(['d'])
})

test('a name that a person gave stays, and what is hidden or blocked is not there', () => {
  catalog = new Catalog(() => {}, {
    check: (_, tools) => tools.map(({ name }) => (name === 'blocked' ? 'not approved so far' : null)),
    adapt: (_, descriptor) => descriptor,
    onOverridden: () => {},
    onHiddenChange: () => {},
  })
  const hosted = new HostedCatalog(catalog, 'id-notes')
  const tools = ['plain', 'renamed', 'hidden', 'blocked'].map(tool)
  catalog.set(source('notes', { tools }, { isUnlisted: true }))
  const rule = { server: 'notes', origin: 'test' }
  const renamed = { ...rule, tool: 'renamed', override: { name: 'better' } }
  catalog.configure({ ...noRules, overrides: [renamed], hidden: [{ ...rule, tool: 'hidden' }] })
  expect(hosted.list('tools').map(({ name }) => name)).toEqual(['plain', 'better'])
  expect(hosted.tool('blocked')).toBeUndefined()
})

test('a host whose connector is gone shows nothing', () => {
  expect(names('alone', 'tools')).toEqual([])
  expect(scopes.for(anybody).seesServer('notes')).toBe(false)
})

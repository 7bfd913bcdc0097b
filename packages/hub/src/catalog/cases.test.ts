import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CatalogFragment, type View } from '@herma/contract'
import { expect, test } from 'vitest'
import type { Descriptor } from '../wire/index.ts'
import { Catalog } from './core/catalog.ts'
import type { CatalogKind } from './core/catalog-source.ts'
import { loadedWithoutFile, mergeFragments, type LoadedFragment } from './fragment/index.ts'
import type { OwnTool } from './core/own-tool.ts'
import { Scopes, plainSettings, type ServedSettings } from './scope/scopes.ts'

/** A case: what servers offer, what people want, who asks. */
interface Case {
  readonly sources: { name: string; prefix?: string; tools: Descriptor[]; prompts?: Descriptor[] }[]
  /** Fragments in the order in which they are merged, by file name. */
  readonly files?: Record<string, object>
  readonly database?: object
  readonly ownTools?: { name: string; descriptor?: Descriptor; tags?: string[] }[]
  readonly settings?: Partial<ServedSettings>
  readonly client?: string
  readonly principal?: string
}

const folder = fileURLToPath(new URL('cases', import.meta.url))
const read = (name: string, file: string) => JSON.parse(readFileSync(`${folder}/${name}/${file}`, 'utf8')) as unknown

test.each(readdirSync(folder))('%s', (name) => {
  expect(run(read(name, 'catalog.json') as Case)).toEqual(read(name, 'expected.json'))
})

function run({ sources, files = {}, database, ownTools = [], settings, client, principal = 'operator' }: Case) {
  const layers = Object.entries(files).map(([file, content]) => load(file, content))
  if (database !== undefined) layers.push(loadedWithoutFile('database', parse(database)))
  const { overrides, hidden, views } = mergeFragments(layers).catalog
  const catalog = new Catalog(() => {})
  catalog.configure({ overrides, hidden, ownTools: ownTools.map(toOwnTool) })
  catalog.set(
    ...sources.map(({ name, prefix = name, tools, prompts = [] }, position) => {
      const lists: Partial<Record<CatalogKind, Descriptor[]>> = { tools, prompts }
      const descriptors = { read: (kind: CatalogKind) => lists[kind] ?? [] }
      return { id: name, name, prefix, position, pinPolicy: 'warn' as const, descriptors }
    }),
  )
  const scope = openScopes(catalog, views, settings).for({
    server: 'facade',
    principal,
    clientInfo: { name: client ?? 'someone' },
  })
  const hiddenTools = sources.flatMap(({ name }) =>
    catalog.toolsOf(name).flatMap((tool) => (tool.hiddenBecause === null ? [] : [[tool.original, tool.hiddenBecause]])),
  )
  return {
    tools: JSON.parse(scope.wholeList('tools').toString('utf8')) as Descriptor[],
    ...(sources.some(({ prompts }) => prompts !== undefined) && {
      prompts: JSON.parse(scope.wholeList('prompts').toString('utf8')) as Descriptor[],
    }),
    ...(hiddenTools.length > 0 && { hidden: Object.fromEntries(hiddenTools) as Record<string, string> }),
    ...(catalog.collisions().length > 0 && { collisions: catalog.collisions() }),
  }
}

function openScopes(catalog: Catalog, views: readonly View[], settings: Case['settings']): Scopes {
  const scopes = new Scopes({
    catalog,
    // Where a tool comes from is shown only by the case that is about it.
    ownServer: () => undefined,
    settingsOf: () => ({ ...plainSettings, metadata: false, ...settings }),
    modeTools: (mode) => [toOwnTool({ name: `tool_of_${mode}` })],
    fallbacks: () => [toOwnTool({ name: 'search' }), toOwnTool({ name: 'fetch' })],
  })
  scopes.setViews(views)
  return scopes
}

function toOwnTool({ name, descriptor = { name }, tags = [] }: NonNullable<Case['ownTools']>[number]): OwnTool {
  return { name, origin: 'test', tags, descriptor, run: () => Promise.reject(new Error('not called')) }
}

function load(file: string, content: object): LoadedFragment {
  const { view, ...rest } = loadedWithoutFile('database', parse(content))
  return { ...rest, view: { ...view, file, kind: 'catalog' } }
}

function parse(content: object): CatalogFragment {
  return CatalogFragment.parse({ schemaVersion: 1, ...content })
}

import { expect, test } from 'vitest'
import type { Descriptor } from '../wire/index.ts'
import { Catalog } from './core/catalog.ts'
import { noRules, type CatalogRules } from './core/catalog-rules.ts'
import { catalogKinds, type CatalogKind, type CatalogSource } from './core/catalog-source.ts'
import { alternativeName, exposedNames } from './core/exposed-name.ts'
import { pageSize } from './core/pages.ts'
import { Scopes, plainSettings, type ServedSettings } from './scope/scopes.ts'
import { readEntry } from './core/shaped-entry.ts'

// The catalog copies bytes and moves offsets. Here it is held against one that parses and serialises everything anew,
// after every step of many random stories.

type Lists = Partial<Record<CatalogKind, readonly Descriptor[]>>

test.each(Array.from({ length: 20 }, (_, seed) => seed))('random story %i ends as if it were told anew', (seed) => {
  const { pick, chance, below } = randomFrom(seed)
  const told: CatalogKind[][] = []
  const verdicts = new Map<string, string | null>()
  const judge = (source: CatalogSource, tools: readonly Descriptor[]) =>
    tools.map((tool) => verdicts.get(`${source.id} ${String(tool['name'])}`) ?? null)
  const catalog = new Catalog((kinds) => told.push([...kinds]), {
    check: judge,
    adapt: (_, tool) => tool,
    onOverridden() {},
    onHiddenChange() {},
  })
  const scopes = new Scopes({
    catalog,
    ownServer: () => undefined,
    settingsOf: (server) => served[server],
    modeTools: () => [],
    fallbacks: () => [],
  })
  const sources = new Map<string, CatalogSource>()
  let rules: CatalogRules = noRules
  let before = listAll(catalog)

  for (let step = 0; step < 25; step++) {
    told.length = 0
    const action = pick(['set', 'set', 'set', 'remove', 'configure', 'ownTools', 'reconsider'] as const)
    const name = pick(['a', 'b', 'c'])
    if (action === 'set') {
      const source = randomSource(name)
      sources.set(source.id, source)
      catalog.set(source)
    } else if (action === 'remove') {
      sources.delete(`id-${name}`)
      catalog.remove(`id-${name}`)
    } else if (action === 'configure') {
      rules = randomRules()
      catalog.configure(rules)
    } else if (action === 'ownTools') {
      rules = { ...rules, ownTools: randomRules().ownTools }
      catalog.setOwnTools(rules.ownTools)
    } else {
      verdicts.set(`id-${name} ${pick(names)}`, pick([null, 'blocked']))
      // Every source is judged anew whenever it is shaped, so a verdict must be told at once.
      catalog.reconsider(`id-${name}`)
    }
    const after = listAll(catalog)
    const wanted = tellAnew()
    expect(after).toEqual(wanted)
    const changed = catalogKinds.filter((kind) => JSON.stringify(before[kind]) !== JSON.stringify(after[kind]))
    expect(told.flat().toSorted()).toEqual(changed.toSorted())
    before = after
    for (const tool of catalog.list('tools')) {
      const { _meta, ...rest } = wanted.tools.find((each) => each['name'] === tool.name)!
      expect(readEntry(tool)).toMatchObject(rest)
      expect(catalog.tool(tool.name!)).toBe(tool)
    }
    const listedAt = (server: string) => {
      const scope = scopes.for({ server, principal: 'me', clientInfo: { name: 'test' } })
      const listed = readPages((cursor) => scope.page('tools', cursor))
      expect(JSON.parse(scope.wholeList('tools').toString('utf8'))).toEqual(listed)
      return listed
    }
    expect(listedAt('whole')).toEqual(wanted.tools)
    expect(listedAt('bare').map(withoutEmptyMeta)).toEqual(wanted.tools.map(withoutOrigin))
    expect(listedAt('strict').map((tool) => tool['name'])).toEqual(wanted.tools.map((tool) => tool['name']))
  }

  /** What the lists have to be, made the slow way. */
  function tellAnew(): Record<CatalogKind, Descriptor[]> {
    const all = [...sources.values()].toSorted((a, b) => a.position - b.position)
    const taken = new Map<string, string>()
    const give = (wanted: string, server: string, original: string) => {
      const name = taken.has(wanted) ? alternativeName(server, original, (each) => taken.has(each)) : wanted
      taken.set(name, server)
      return name
    }
    const given = new Map<string, Map<string, string>>()
    const nameOf = ({ id, prefix, descriptors }: CatalogSource, kind: CatalogKind, original: string) => {
      const originals = () => descriptors.read(kind).map((each) => String(each['name']))
      const name = (list: string[]) => new Map(exposedNames(prefix, list).map((each, index) => [list[index]!, each]))
      const known = given.get(`${id} ${kind}`) ?? name(originals())
      given.set(`${id} ${kind}`, known)
      return known.get(original)!
    }
    const everyone = all.flatMap((source) => source.descriptors.read('tools').map((tool) => ({ source, tool })))
    const having = new Map<string, Set<string>>()
    for (const { source, tool } of everyone) {
      const original = String(tool['name'])
      having.set(original, (having.get(original) ?? new Set()).add(source.name))
    }
    const own = rules.ownTools.map((tool) => ({
      ...tool.descriptor,
      name: give(tool.name, 'herma', tool.name),
      _meta: { 'x-herma': { server: 'herma', tool: tool.name, origin: tool.origin } },
    }))
    const tools = everyone.flatMap(({ source, tool }) => {
      const original = String(tool['name'])
      const verdict = judge(source, [tool])[0]
      const hidden = rules.hidden.some((rule) => rule.server === source.name && rule.tool === original)
      if (hidden || verdict !== null) return []
      const override = Object.assign(
        {},
        ...rules.overrides
          .filter((rule) => rule.server === source.name && rule.tool === original)
          .map((rule) => rule.override),
      ) as Descriptor
      const fallbacks = [...having.get(original)!].filter((server) => server !== source.name)
      const meta = isPlain(tool['_meta']) ? tool['_meta'] : {}
      const { 'x-herma': _, ...kept } = meta
      const place = { server: source.name, tool: original, ...(fallbacks.length > 0 && { fallbacks }) }
      const inputSchema = { ...(isPlain(tool['inputSchema']) && tool['inputSchema']), type: 'object' }
      const name = give((override['name'] as string) ?? nameOf(source, 'tools', original), source.name, original)
      return [
        JSON.parse(JSON.stringify({ ...tool, ...override, name, inputSchema, _meta: { ...kept, 'x-herma': place } })),
      ]
    })
    taken.clear()
    const prompts = all.flatMap((source) =>
      source.descriptors.read('prompts').map((prompt) => {
        const original = String(prompt['name'])
        return { ...prompt, name: give(nameOf(source, 'prompts', original), source.name, original) }
      }),
    )
    const unique = (kind: 'resources' | 'resourceTemplates', key: string) => {
      const entries = all.flatMap((source) => source.descriptors.read(kind))
      return entries.filter((entry, index) => entries.findIndex((each) => each[key] === entry[key]) === index)
    }
    return {
      tools: [...own, ...tools] as Descriptor[],
      prompts,
      resources: unique('resources', 'uri'),
      resourceTemplates: unique('resourceTemplates', 'uriTemplate'),
    }
  }

  function randomSource(name: string): CatalogSource {
    const count = chance(0.1) ? 0 : chance(0.05) ? pageSize + below(3) : below(8)
    const numbered = (index: number) => (count > 10 ? `tool ${index}` : pick(names))
    const lists: Lists = {
      tools: Array.from({ length: count }, (_, index) => randomTool(numbered(index))),
      prompts: Array.from({ length: below(4) }, () => randomPrompt()),
      resources: Array.from({ length: below(4) }, () => ({ uri: pick(uris), name: pick(texts) })),
      resourceTemplates: Array.from({ length: below(3) }, () => ({
        uriTemplate: `${pick(uris)}{x}`,
        name: pick(texts),
      })),
    }
    const descriptors = { read: (kind: CatalogKind) => lists[kind] ?? [] }
    const prefix = chance(0.3) ? '' : name
    return { id: `id-${name}`, name, prefix, position: name.charCodeAt(0), pinPolicy: 'block', descriptors }
  }

  function randomTool(name: string): Descriptor {
    const fields: [string, unknown][] = [['name', name]]
    if (chance(0.8)) fields.push(['description', pick(texts)])
    if (chance(0.8)) fields.push(['inputSchema', pick(schemas)])
    if (chance(0.5)) fields.push(['_meta', pick(metas)])
    if (chance(0.3)) fields.push(['annotations', { title: pick(texts), _meta: {} }])
    if (chance(0.2)) fields.push(['constructor', { name: 'x' }])
    if (chance(0.2)) fields.push([pick(texts), pick(texts)])
    const members = shuffle(fields).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
    return JSON.parse(`{${members.join(',')}}`) as Descriptor
  }

  function randomPrompt(): Descriptor {
    return chance(0.5) ? { description: pick(texts), name: pick(names) } : { name: pick(names), _meta: { a: 1 } }
  }

  function randomRules(): CatalogRules {
    const origin = 'catalog/test.json'
    return {
      overrides: Array.from({ length: below(5) }, () => ({
        server: pick(['a', 'b', 'c']),
        tool: pick(names),
        override: chance(0.5) ? { name: pick(['renamed', 'a__read', 'own']) } : { description: pick(texts) },
        origin,
      })),
      hidden: Array.from({ length: below(4) }, () => ({ server: pick(['a', 'b', 'c']), tool: pick(names), origin })),
      ownTools: [...new Set(Array.from({ length: below(3) }, () => pick(['own', 'a__read', 'read'])))].map((name) => ({
        name,
        origin,
        descriptor: { description: pick(texts), inputSchema: { type: 'object' } },
        tags: [],
        run: async () => ({ content: [] }),
      })),
    }
  }

  function shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: below(1000) }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => item)
  }
})

const served: Record<string, ServedSettings> = {
  whole: plainSettings,
  bare: { ...plainSettings, metadata: false },
  strict: { ...plainSettings, schemas: 'strict' as const },
}

const names = [
  'read',
  'write',
  '__proto__',
  'constructor',
  'toString',
  'é/ü',
  'é.ü',
  'a.b',
  'a_b',
  '日本',
  'x'.repeat(80),
  '"',
  '\\',
  '\u2028',
  '😀',
  '\ud800',
]
const uris = ['file:///a', 'file:///b', 'x:', '', 'größe://ü']
const texts = [
  '',
  'a',
  '_meta',
  '","_meta":{',
  '{"name":"x"}',
  'ünïcödé 😀',
  '\ud83d',
  '\n"\\',
  'x'.repeat(300),
  '__proto__',
]
const schemas = [
  { type: 'object' },
  { type: 'object', properties: { _meta: { type: 'string' }, name: {} } },
  null,
  [],
  'object',
  { type: 'object', 'x-herma': 1 },
]
const metas = [
  {},
  { a: 1 },
  null,
  [],
  'text',
  7,
  { 'x-herma': { server: 'spoofed' } },
  { 'x-herma': 1, b: { name: 'x' } },
  { _meta: {} },
]

function listAll(catalog: Catalog): Record<CatalogKind, Descriptor[]> {
  const read = (kind: CatalogKind) => readPages((cursor) => catalog.page(kind, cursor))
  return {
    tools: read('tools'),
    prompts: read('prompts'),
    resources: read('resources'),
    resourceTemplates: read('resourceTemplates'),
  }
}

function readPages(
  page: (cursor: string | undefined) => { entries: Buffer; nextCursor: string | undefined } | undefined,
): Descriptor[] {
  const entries: Descriptor[] = []
  for (let cursor: string | undefined; ;) {
    const { entries: bytes, nextCursor } = page(cursor)!
    const text = bytes.toString('utf8')
    entries.push(...(JSON.parse(text) as Descriptor[]))
    // The same key twice is JSON that two clients read in two ways.
    expect(JSON.parse(JSON.stringify(JSON.parse(text)))).toEqual(JSON.parse(text))
    expect(Buffer.byteLength(JSON.stringify(JSON.parse(text)))).toBe(bytes.length)
    if (nextCursor === undefined) return entries
    cursor = nextCursor
  }
}

function withoutOrigin({ _meta, ...rest }: Descriptor): Descriptor {
  const { 'x-herma': _, ...kept } = _meta as Descriptor
  return Object.keys(kept).length > 0 ? { ...rest, _meta: kept } : rest
}

function withoutEmptyMeta(descriptor: Descriptor): Descriptor {
  const { _meta, ...rest } = descriptor
  return isPlain(_meta) && Object.keys(_meta).length === 0 ? rest : descriptor
}

function isPlain(value: unknown): value is Descriptor {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Numbers that are the same in every run: https://en.wikipedia.org/wiki/Xorshift */
function randomFrom(seed: number) {
  let state = seed * 2_654_435_761 + 1
  const below = (limit: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)]!,
    chance: (part: number) => below(1000) < part * 1000,
  }
}

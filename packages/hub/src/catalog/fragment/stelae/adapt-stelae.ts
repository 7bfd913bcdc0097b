import { isObject } from '../../../wire/index.ts'
import { adaptStelaeAggregations } from './adapt-stelae-aggregations.ts'
import { adaptStelaeOverrides } from './adapt-stelae-overrides.ts'
import { compositeDefaults } from '../embedded-defaults.ts'
import type { FragmentProblem } from '../check/explain-issue.ts'
import type { JsonPath } from '../json/json-path.ts'
import { type Draft, StelaeDraft } from './stelae-draft.ts'

export interface AdaptedDocument {
  readonly value: unknown
  readonly differences: readonly FragmentProblem[]
  /** Where people wrote what is now at a path. */
  originOf(path: JsonPath): JsonPath
}

/**
 * Rewrites a document of Stelae's as a fragment of Herma's: a catalog fragment with `toolOverrides`, `toolAggregations`
 * and `hideTools` in either spelling, or a `tool_overrides.json` or `tool_aggregations.json` by itself. What is left out
 * or taken differently is noted where it was written. What has the wrong shape stays, for the schema to complain about.
 */
export function adaptStelae(document: Draft): AdaptedDocument {
  const draft = new StelaeDraft(document)
  const source = draft.root
  const version = draft.take(source, 'schemaVersion')
  const fragment: Draft = { schemaVersion: version === undefined || version === 2 ? 1 : version }
  for (const key of ['$schema', 'name', 'description']) if (key in source) fragment[key] = draft.take(source, key)

  const overrides = draft.takeEither(source, 'tool_overrides', 'toolOverrides') ?? takeBareOverrides(draft)
  const block = draft.takeEither(source, 'tool_aggregations', 'toolAggregations')
  const hides = draft.takeEither(source, 'hide_tools', 'hideTools')
  if (Array.isArray(block)) draft.differences.push({ path: draft.pathOf(block), message: listTaken, at: 'value' })
  const blocks = isObject(block) ? [block, source] : [source]
  for (const each of blocks) findOwnServers(draft, each)

  if (overrides !== undefined) fragment['toolOverrides'] = adaptStelaeOverrides(overrides, draft)
  fragment['defaults'] = takeDefaults(draft, blocks)
  fragment['hiddenTools'] = joinLists([...blocks.map((each) => draft.take(each, 'hiddenTools')), hides]) ?? []
  draft.renameOwnServers(fragment['hiddenTools'])
  const aggregations = joinLists(blocks.map((each) => draft.take(each, 'aggregations')))
  fragment['aggregations'] = isObject(block) || block === undefined ? (aggregations ?? []) : block
  adaptStelaeAggregations(fragment, draft)
  for (const each of blocks) leaveOutRest(draft, each)
  return { value: fragment, differences: draft.differences, originOf: (path) => draft.originOf(fragment, path) }
}

/** Tells whether a document is in Stelae's format; what only Herma has decides first. */
export function isStelaeDocument(value: unknown): value is Draft {
  if (!isObject(value) || 'pipelines' in value || 'views' in value) return false
  if (stelaeKeys.some((key) => key in value)) return true
  const aggregations = Array.isArray(value['aggregations']) ? (value['aggregations'] as unknown[]) : []
  return [value['defaults'], ...aggregations].some(
    (entry) =>
      isObject(entry) &&
      (['server', 'serverName', 'proxyURL', 'proxyUrl'].some((key) => key in entry) ||
        JSON.stringify(entry['state'] ?? null).includes('{{STELAE_')),
  )
}

const stelaeKeys = [
  'toolAggregations',
  'tool_aggregations',
  'tool_overrides',
  'hideTools',
  'hide_tools',
  'servers',
  'coreServers',
  'master',
  'proxyURL',
  'proxyUrl',
]

function takeBareOverrides(draft: StelaeDraft): unknown {
  const { root } = draft
  if (!('master' in root) && !isObject(root['servers'])) return undefined
  const overrides: Draft = {}
  for (const key of ['master', 'servers', 'tools']) if (key in root) overrides[key] = draft.take(root, key)
  return overrides
}

function findOwnServers(draft: StelaeDraft, block: Draft): void {
  const entries = Array.isArray(block['aggregations']) ? (block['aggregations'] as unknown[]) : []
  for (const entry of [block['defaults'], ...entries]) {
    if (!isObject(entry)) continue
    for (const name of [entry['server'], entry['serverName']]) {
      if (typeof name === 'string') draft.ownServers.add(name)
    }
  }
}

function takeDefaults(draft: StelaeDraft, blocks: readonly Draft[]): unknown {
  const [defaults, ...others] = blocks.map((each) => draft.take(each, 'defaults')).filter((each) => each !== undefined)
  if (!isObject(defaults)) return defaults
  for (const other of others) if (isObject(other)) Object.assign(defaults, { ...other, ...defaults })
  for (const key of ['serverName', 'server']) draft.leaveOut(defaults, key, noServer)
  for (const key of ['proxyURL', 'proxyUrl']) draft.leaveOut(defaults, key, noProxy)
  for (const [key, value] of Object.entries(compositeDefaults)) {
    if (!(key in defaults) || defaults[key] === value) continue
    draft.note(
      defaults,
      key,
      `'${key}' holds for the aggregates of this file; in Stelae it held for those of every file.`,
    )
  }
  return defaults
}

function leaveOutRest(draft: StelaeDraft, block: Draft): void {
  for (const [key, value] of Object.entries(block)) {
    if (key === 'schemaVersion' && block !== draft.root && value === 1) continue
    draft.leaveOut(block, key, leftOut[key]?.(value) ?? `'${key}' is unknown and left out.`)
  }
}

const listTaken = 'A list is taken as the aggregations.'
const noProxy = 'It is left out: Herma calls servers itself, not through a proxy.'
const noServer = "It is left out: Herma's own tools have the server 'herma'."

const leftOut: Partial<Record<string, (value: unknown) => string>> = {
  proxyURL: () => noProxy,
  proxyUrl: () => noProxy,
  coreServers: () => 'They are left out: what these servers did is part of Herma.',
  installRef: () => "It is left out: it is a mark of Stelae's installer.",
  schemaVersion: (value) => `Version ${JSON.stringify(value)} is unknown; it is read as version 1.`,
  servers: (value) => `Left out: ${namesOf(value)}. Servers are connectors in Herma, add each with: herma add`,
}

function namesOf(servers: unknown): string {
  const list = Array.isArray(servers) ? (servers as unknown[]) : []
  const names = list.map((each) => (isObject(each) ? String(each['name']) : '?'))
  return names.length > 12 ? `${names.slice(0, 12).join(', ')} and ${names.length - 12} more` : names.join(', ')
}

/** One list stays as it is, also when it is none, so that the schema names the right place. */
function joinLists(values: readonly unknown[]): unknown {
  const given = values.filter((value) => value !== undefined)
  return given.length > 1 && given.every((value) => Array.isArray(value)) ? given.flat() : given[0]
}

import { createHash } from 'node:crypto'
import { findParamHeaders, isObject, type Descriptor } from '../../wire/index.ts'
import { noRules, rulesFor, type AppliedRules, type CatalogRules } from './catalog-rules.ts'
import { hermaSource, type CatalogSource } from './catalog-source.ts'
import { exposedNames } from './exposed-name.ts'
import { tokenCost } from './token-cost.ts'
import type { OwnTool } from './own-tool.ts'
import { legalTool } from '../schema/legal-tool.ts'
import { plainTool } from '../schema/plain-tool.ts'
import { ShapedEntry, ShapedTool, toBytes } from './shaped-entry.ts'

/** Those who have a say about a tool besides the rules. */
export interface ToolJudges {
  /** Why a tool is not served, in the order of the tools; null for those that are. */
  check(source: CatalogSource, tools: readonly Descriptor[]): readonly (string | null)[]
  /** A tool as clients may rely on it, when its server was seen to answer something else than it says. */
  adapt(source: CatalogSource, tool: Descriptor): Descriptor
  /** Rules changed these tools of a source. */
  onOverridden(source: CatalogSource, tools: readonly { descriptor: Descriptor; applied: AppliedRules }[]): void
  /** Tools that no client sees came, went or changed; composites may call them. */
  onHiddenChange(): void
}

export const noJudges: ToolJudges = {
  check: (_, tools) => tools.map(() => null),
  adapt: (_, tool) => tool,
  onOverridden: () => {},
  onHiddenChange: () => {},
}

/** A source with all its descriptors as clients shall see them. */
export interface ShapedSource {
  readonly source: CatalogSource
  readonly tools: readonly ShapedTool[]
  readonly prompts: readonly ShapedEntry[]
  readonly resources: readonly ShapedEntry[]
  readonly resourceTemplates: readonly ShapedEntry[]
}

const noTags: readonly string[] = []
/** Why tools are in no list of the facade though nothing else is wrong with them. */
export const unlistedReason = 'its connector is not listed'

const uriKeys = { resources: 'uri', resourceTemplates: 'uriTemplate' } as const

export function shapeSource(source: CatalogSource, rules: CatalogRules, judges: ToolJudges): ShapedSource {
  return {
    source,
    tools: shapeTools(source, rules, judges),
    prompts: shapePrompts(source),
    resources: shapeResources(source, 'resources'),
    resourceTemplates: shapeResources(source, 'resourceTemplates'),
  }
}

function shapePrompts(source: CatalogSource): ShapedEntry[] {
  const prompts = source.descriptors.read('prompts')
  const originals = prompts.map(({ name }) => String(name))
  const names = exposedNames(source.prefix, originals)
  return prompts.map((descriptor, index) => {
    return new ShapedEntry(source, originals[index]!, toBytes(descriptor, 'name'), { wanted: names[index]! })
  })
}

function shapeResources(source: CatalogSource, kind: 'resources' | 'resourceTemplates'): ShapedEntry[] {
  return source.descriptors
    .read(kind)
    .map((descriptor) => new ShapedEntry(source, String(descriptor[uriKeys[kind]]), toBytes(descriptor, null)))
}

function shapeTools(source: CatalogSource, rules: CatalogRules, judges: ToolJudges): ShapedTool[] {
  const tools = source.descriptors.read('tools')
  const find = rulesFor(rules, source.name)
  const verdicts = judges.check(source, tools)
  const overridden: { descriptor: Descriptor; applied: AppliedRules }[] = []
  const originals = tools.map(({ name }) => String(name))
  const names = exposedNames(source.prefix, originals)
  const shaped = tools.map((descriptor, index) => {
    const original = originals[index]!
    const applied = find(original)
    if (Object.keys(applied.override).length > 0) overridden.push({ descriptor, applied })
    const exposed = applyRules(judges.adapt(source, descriptor), applied)
    const blockedBecause = verdicts[index] ?? null
    return toShapedTool({
      source,
      original,
      exposed,
      wanted: applied.override.name ?? names[index]!,
      isRenamed: applied.override.name !== undefined,
      hiddenBecause: applied.hiddenBecause ?? blockedBecause ?? (source.isUnlisted === true ? unlistedReason : null),
      blockedBecause,
      tags: applied.override.tags ?? noTags,
      own: null,
    })
  })
  judges.onOverridden(source, overridden)
  return shaped
}

/** The descriptor that clients get in place of the server's. The server's own is never changed. */
export function applyRules(descriptor: Descriptor, applied: AppliedRules): Descriptor {
  return legalTool(overrideTool(descriptor, applied))
}

/** The same with what the protocol does not allow. */
export function overrideTool(descriptor: Descriptor, { override }: AppliedRules): Descriptor {
  if (Object.keys(override).length === 0) return descriptor
  const { name: _, enabled: __, tags: ___, annotations, ...fields } = override
  const exposed: Record<string, unknown> = { ...descriptor, ...fields }
  if (annotations !== undefined) {
    const given = descriptor['annotations']
    exposed['annotations'] = { ...(isObject(given) ? given : {}), ...annotations }
  }
  if (exposed['outputSchema'] === null) delete exposed['outputSchema']
  return exposed
}

/** A tool of Herma's own. Rules apply to it like to any other, under the server name `herma`. */
export function shapeOwnTool(own: OwnTool, rules: CatalogRules = noRules): ShapedTool {
  const applied = rulesFor(rules, hermaSource.name)(own.name)
  return toShapedTool({
    source: hermaSource,
    original: own.name,
    exposed: applyRules({ ...own.descriptor, name: own.name }, applied),
    wanted: applied.override.name ?? own.name,
    isRenamed: applied.override.name !== undefined,
    hiddenBecause: applied.hiddenBecause,
    blockedBecause: null,
    tags: applied.override.tags ?? own.tags,
    own,
  })
}

/** A tool that answered rightly so often is believed. */
const checksOfOutput = 20

interface ToShape {
  readonly source: CatalogSource
  readonly original: string
  readonly exposed: Descriptor
  readonly wanted: string
  readonly isRenamed: boolean
  readonly hiddenBecause: string | null
  readonly blockedBecause: string | null
  readonly tags: readonly string[]
  readonly own: OwnTool | null
}

function toShapedTool({ source, original, exposed, ...rest }: ToShape): ShapedTool {
  const hints = isObject(exposed['annotations']) ? exposed['annotations'] : {}
  const headers = findParamHeaders(exposed['inputSchema'])
  const isReadOnly = hints['readOnlyHint'] === true
  const written = toBytes(exposed, 'name')
  const tool = new ShapedTool(source, original, written, {
    ...rest,
    paramHeaders: headers.length > 0 ? headers : null,
    isReadOnly,
    isPlain: plainTool(exposed) === exposed,
    mayDestroy: !isReadOnly && hints['destructiveHint'] !== false,
    fingerprint: createHash('sha1').update(written.bytes).digest('base64url').slice(0, 12),
    tokens: tokenCost({ ...exposed, name: rest.wanted }),
  })
  if (rest.own === null && isObject(exposed['outputSchema'])) tool.checksLeft = checksOfOutput
  return tool
}

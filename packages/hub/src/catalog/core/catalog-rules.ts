import { compileGlob, isGlob, type ToolOverride } from '@herma/contract'
import type { OwnTool } from './own-tool.ts'

/** An override with the tools that it is for. */
export interface OverrideRule {
  /** Names of connectors; * and ? stand for other characters. */
  readonly server: string
  /** Own names of tools; * and ? too. */
  readonly tool: string
  readonly override: ToolOverride
  /** Where it comes from, for people. */
  readonly origin: string
}

export interface HideRule {
  readonly server: string
  readonly tool: string
  readonly reason?: string | undefined
  readonly origin: string
}

/** What people want of the catalog. */
export interface CatalogRules {
  /** In the order of application: a later one wins. */
  readonly overrides: readonly OverrideRule[]
  readonly hidden: readonly HideRule[]
  readonly ownTools: readonly OwnTool[]
}

export const noRules: CatalogRules = { overrides: [], hidden: [], ownTools: [] }

/** What is stored in the database, for which a person just now asked. */
export const databaseOrigin = '(database)'

/** All rules for one tool, put together. */
export interface AppliedRules {
  readonly override: ToolOverride
  /** Where each field of the override comes from. */
  readonly origins: Readonly<Partial<Record<keyof ToolOverride, string>>>
  readonly hiddenBecause: string | null
}

const nothing: AppliedRules = { override: {}, origins: {}, hiddenBecause: null }

/** True when two sets of rules say the same about the tools of a server. */
export function hasSameRules(a: CatalogRules, b: CatalogRules, server: string): boolean {
  const about = ({ overrides, hidden }: CatalogRules) =>
    JSON.stringify([overrides, hidden].map((rules) => rules.filter((rule) => compileGlob(rule.server)(server))))
  return a === b || about(a) === about(b)
}

/** Finds the rules of one connector, so that each of its tools is only held against those. */
export function rulesFor(rules: CatalogRules, server: string): (tool: string) => AppliedRules {
  const overrides = rulesByTool(rules.overrides, server)
  const hidden = rulesByTool(rules.hidden, server)
  if (overrides === null && hidden === null) return () => nothing
  return (tool) => {
    const applied = overrides?.(tool) ?? []
    const hide = hidden?.(tool).at(-1)
    if (applied.length === 0 && hide === undefined) return nothing
    const override = Object.assign({}, ...applied.map((rule) => rule.override)) as ToolOverride
    const annotations = Object.assign({}, ...applied.map((rule) => rule.override.annotations)) as object
    if (Object.keys(annotations).length > 0) override.annotations = annotations
    const origins = Object.fromEntries(
      applied.flatMap((rule) => Object.keys(rule.override).map((field) => [field, rule.origin])),
    ) as AppliedRules['origins']
    return { override, origins, hiddenBecause: reasonToHide(override, origins, hide) }
  }
}

interface ToolRule {
  readonly server: string
  readonly tool: string
}

/**
 * Finds the rules for a tool in their order. Thousands of tools may each have a rule of their own, so those are found by
 * name and only the ones with wildcards are tried. Null when no rule is about the server.
 */
function rulesByTool<Rule extends ToolRule>(rules: readonly Rule[], server: string): ((tool: string) => Rule[]) | null {
  const byName = new Map<string, { rule: Rule; order: number }[]>()
  const patterns: { rule: Rule; order: number; matches: (tool: string) => boolean }[] = []
  for (const [order, rule] of rules.entries()) {
    if (!compileGlob(rule.server)(server)) continue
    if (isGlob(rule.tool)) patterns.push({ rule, order, matches: compileGlob(rule.tool) })
    else byName.set(rule.tool, [...(byName.get(rule.tool) ?? []), { rule, order }])
  }
  if (byName.size === 0 && patterns.length === 0) return null
  return (tool) =>
    [...(byName.get(tool) ?? []), ...patterns.filter(({ matches }) => matches(tool))]
      .sort((a, b) => a.order - b.order)
      .map(({ rule }) => rule)
}

function reasonToHide(
  { enabled }: ToolOverride,
  { enabled: origin }: AppliedRules['origins'],
  hide: HideRule | undefined,
): string | null {
  if (enabled === false) return `disabled in ${origin}`
  // Whoever enables a tool by hand wants to see it, whatever the files say.
  if (hide === undefined || (enabled === true && origin === databaseOrigin)) return null
  return hide.reason === undefined ? `hidden in ${hide.origin}` : `hidden in ${hide.origin}: ${hide.reason}`
}

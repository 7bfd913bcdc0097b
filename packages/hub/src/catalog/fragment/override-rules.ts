import { isGlob, literalLength, type ServerOverride, type ToolOverride, type ToolOverrides } from '@herma/contract'
import type { OverrideRule } from '../core/catalog-rules.ts'

/** An override of a file: a later one wins, field by field. */
export interface LayeredOverride extends OverrideRule {
  /** The place of that file among all. */
  readonly layer: number
}

/**
 * Puts the overrides of one file in the order in which they apply, so that the more specific one comes later: the master
 * rule, servers by pattern, servers by name, and within each of them tools by pattern, then tools by name.
 */
export function overrideRules(overrides: ToolOverrides, origin: string, layer: number): LayeredOverride[] {
  const rule = (server: string, tool: string, override: ToolOverride) => ({ server, tool, override, origin, layer })
  const { master, servers } = overrides
  const rules: LayeredOverride[] = []
  if (master?.enabled !== undefined) rules.push(rule('*', '*', { enabled: master.enabled }))
  if (master?.tools['*'] !== undefined) rules.push(rule('*', '*', master.tools['*']))
  for (const [server, entry] of bySpecificity<ServerOverride>(servers)) {
    if (entry.enabled === true) rules.push(rule(server, '*', { enabled: true }))
    for (const [tool, override] of bySpecificity<ToolOverride>(entry.tools)) rules.push(rule(server, tool, override))
    // A server that is off is off, whatever is said of its tools beside it.
    if (entry.enabled === false) rules.push(rule(server, '*', { enabled: false }))
  }
  return rules
}

/** Patterns before names, and a pattern that says less before one that says more. */
function bySpecificity<T>(entries: Readonly<Record<string, T>>): [string, T][] {
  const weight = (name: string) => (isGlob(name) ? literalLength(name) : Infinity)
  return Object.entries(entries).sort(([a], [b]) => {
    const [left, right] = [weight(a), weight(b)]
    return left === right ? 0 : left - right
  })
}

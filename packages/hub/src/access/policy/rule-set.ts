import type { CompiledRule } from './expression/compile-rule.ts'
import type { Meter } from './expression/meter.ts'

/** Rules that are on, in order, ready to decide. */
export interface RuleSet {
  readonly rules: readonly CompiledRule[]
  /** Those that may have something to say about a tool: most rules name theirs, and the others are not even looked at. */
  rulesFor(tool: string): readonly CompiledRule[]
  readonly meter: Meter
  /** A rule could not be worked out. */
  onFailure(rule: CompiledRule, problem: string): void
}

interface SetOptions {
  /** The one that the rules were compiled with. */
  readonly meter: Meter
  readonly onFailure?: RuleSet['onFailure']
}

export function createRuleSet(rules: readonly CompiledRule[], { meter, onFailure = () => {} }: SetOptions): RuleSet {
  const named = new Set(rules.flatMap(({ tools }) => (tools === null ? [] : [...tools])))
  const byTool = new Map([...named].map((tool) => [tool, rules.filter(({ tools }) => tools?.has(tool) ?? true)]))
  const others = rules.filter(({ tools }) => tools === null)
  return { rules, rulesFor: (tool) => byTool.get(tool) ?? others, meter, onFailure }
}

import { compileGlobs, type ToolPolicy } from '@herma/contract'
import { nameTools } from '../work/tool/name-tools.ts'
import { compileToolPolicy } from '../work/tool/tool-policy.ts'

interface ToolQuestion {
  readonly connector: string
  /** Globs of the binding; null = all. */
  readonly allowedTools: readonly string[] | null
  /** Of the session. */
  readonly policy: ToolPolicy
  /** By their names at the server. */
  readonly tools: readonly string[]
}

/** The tools of a bound connector that a session may use: as the server names them, and as its model does. */
export function allowedTools(question: ToolQuestion): { tool: string; name: string }[] {
  const { connector, policy } = question
  const origins = question.tools
    .filter(compileGlobs(question.allowedTools ?? ['*']))
    .map((tool) => ({ connector, tool }))
  const rules = compileToolPolicy(policy)
  return nameTools(origins, new Set())
    .map((name, index) => ({ name, tool: origins[index]!.tool }))
    .filter((each) => rules.mayUse({ ...each, connector, isReadOnly: true }))
}

import { compileGlobs, type ToolPolicy } from '@herma/contract'

/** A tool by all of its names: what the model calls it, and what its server does. */
export interface NamedTool {
  readonly name: string
  readonly tool?: string | undefined
  readonly connector?: string | null | undefined
  readonly isReadOnly: boolean
}

/** What a session may use, and what a person has to allow first. */
export interface ToolRules {
  mayUse(tool: NamedTool): boolean
  needsApproval(tool: NamedTool): boolean
}

/** Globs match the name that the model sees, the name at the server, or `CONNECTOR/NAME`. */
export function compileToolPolicy(policy: ToolPolicy): ToolRules {
  const isAllowed = compileGlobs(policy.allow)
  const isDenied = compileGlobs(policy.deny)
  const isApproved = compileGlobs(policy.approved)
  return {
    mayUse: (tool) => namesOf(tool).some(isAllowed) && !namesOf(tool).some(isDenied),
    needsApproval(tool) {
      if (policy.approval === 'never' || namesOf(tool).some(isApproved)) return false
      return policy.approval === 'always' || !tool.isReadOnly
    },
  }
}

function namesOf({ name, tool, connector }: NamedTool): string[] {
  const own = tool === undefined || tool === name ? [] : [tool]
  return [name, ...own, ...(typeof connector === 'string' ? [`${connector}/${tool ?? name}`] : [])]
}

import type { CustomTool } from '@herma/contract'
import type { Homes } from '../../platform/file/homes.ts'
import { expandHomes } from './expand-homes.ts'

/** The kernel takes 128 KiB for one variable; a script that needs more reads standard input. */
export const maxEnvironmentArgumentBytes = 32 * 1024

/**
 * What a command finds in its environment: little of the hub's own, which may hold the password of a database, then
 * what the tool says, then the arguments.
 */
export function commandEnvironment(
  tool: CustomTool,
  input: string,
  { environment, ...homes }: Homes & { readonly environment: NodeJS.ProcessEnv },
): Record<string, string> {
  const own = Object.entries(tool.env).map(([name, value]) => [name, expandHomes(value, homes)])
  const env: Record<string, string> = {
    ...inherit(environment),
    HERMA_CONFIG_HOME: homes.configHome,
    HERMA_STATE_HOME: homes.stateHome,
    ...Object.fromEntries(own),
  }
  for (const name of argumentNames) {
    if (Buffer.byteLength(input) <= maxEnvironmentArgumentBytes) env[name] = input
    else delete env[name]
  }
  return env
}

// The second is what scripts written for Stelae read.
const argumentNames = ['HERMA_TOOL_ARGS', 'STELAE_TOOL_ARGS']

const inheritedNames = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']

function inherit(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = inheritedNames.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

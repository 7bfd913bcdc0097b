import type { Descriptor } from '../../wire/index.ts'
import type { ToolReference } from '../core/own-tool.ts'

/** The descriptor of a tool that a composite calls, as it is known now; undefined when there is none. */
export type DescribeMember = (reference: ToolReference) => Descriptor | undefined

/** A tool of a server, for people. */
export function memberLabel({ server, tool }: ToolReference): string {
  return server === undefined ? `'${tool}'` : `'${tool}' of '${server}'`
}

/** Names in a sentence: 'a', 'b', 'c'. Long lists and long names are cut. */
export function quoteNames(names: readonly string[], limit = 50): string {
  const shown = names.slice(0, limit).map((name) => `'${name.length > 80 ? `${name.slice(0, 80)}…` : name}'`)
  return names.length > limit ? `${shown.join(', ')} and ${names.length - limit} more` : shown.join(', ')
}

import { isObject } from '../../../wire/index.ts'
import type { Arguments, ToolReference } from '../../core/own-tool.ts'
import { memberLabel, quoteNames, type DescribeMember } from '../member.ts'
import { requiredKeys } from './schema-type.ts'

/** What a tool would say against a call, as far as its descriptor tells. */
export function argumentProblems(reference: ToolReference, args: Arguments, describe: DescribeMember): string[] {
  const label = memberLabel(reference)
  const descriptor = describe(reference)
  if (descriptor === undefined) return [`There is no tool ${label}.`]
  const schema = isObject(descriptor['inputSchema']) ? descriptor['inputSchema'] : {}
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const missing = requiredKeys(schema).filter((key) => !Object.hasOwn(args, key))
  const strange =
    schema['additionalProperties'] === false ? Object.keys(args).filter((key) => !Object.hasOwn(properties, key)) : []
  return [
    ...(missing.length > 0 ? [`${label} needs ${quoteNames(missing)}.`] : []),
    ...(strange.length > 0 ? [`${label} does not know ${quoteNames(strange)}.`] : []),
  ]
}

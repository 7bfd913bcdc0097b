import type { CompositeInput } from '@herma/contract'

import { CliError, exitCodes } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'
import { readJsonValue } from './read-json-value.ts'

/** Reads the definition of a composite: the JSON itself, the name of a file, or - for standard input. The hub checks it. */
export async function readComposite(what: string, given: string, terminal: Terminal): Promise<CompositeInput> {
  const definition = await readJsonValue(what, given, terminal)
  if (typeof definition['name'] !== 'string') throw new CliError(exitCodes.usage, `${what} needs a "name".`)
  const [isAggregate, isPipeline] = ['operations' in definition, 'steps' in definition]
  if (isAggregate === isPipeline) {
    const message = `${what} needs "operations", as an aggregate, or "steps", as a pipeline. See docs/fragments.md.`
    throw new CliError(exitCodes.usage, message)
  }
  return { kind: isAggregate ? 'aggregate' : 'pipeline', definition } as unknown as CompositeInput
}

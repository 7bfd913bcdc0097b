import type { GetPromptResult, PromptArgument } from '@modelcontextprotocol/server'
import type { Context } from '../context/context.ts'
import { ConfigError, errorCode, McpError } from '../protocol/errors.ts'
import { describeIssues } from '../schema/describe-issues.ts'
import type { Schema } from '../schema/schema.ts'
import { propertiesOf, toObjectSchema } from '../schema/to-json-schema.ts'
import type { PromptComponent } from './component.ts'
import type { PromptDefinition, PromptOutput } from './define.ts'
import { describeCommon } from './describe-common.ts'
import { requireHandler } from './require-handler.ts'
import { toPromptResult } from './to-result.ts'

type AnyDefinition = PromptDefinition<Schema | undefined>
type Handler = (args: never, context: never) => PromptOutput | Promise<PromptOutput>

/** Makes a prompt out of what its author wrote. */
export function makePrompt(name: string, definition: AnyDefinition, handler: Handler): PromptComponent {
  if (name === '') throw new ConfigError('A prompt needs a name.', "Write prompt('name', { … }, …).")
  requireHandler(`Prompt '${name}'`, definition, handler)
  const args = argumentsOf(name, definition)
  for (const completed of Object.keys(definition.complete ?? {})) {
    if (args.some((argument) => argument.name === completed)) continue
    throw new ConfigError(
      `Prompt '${name}' has no argument '${completed}' to complete.`,
      'Rename it, or add it to args.',
    )
  }
  return {
    kind: 'prompt',
    id: name,
    definition,
    descriptor: { name, ...describeCommon(definition), ...(args.length > 0 && { arguments: args }) },
    complete: definition.complete ?? {},
    run: (given, context) => run({ name, definition, handler }, given, context),
  }
}

function argumentsOf(name: string, { args }: AnyDefinition): PromptArgument[] {
  if (args === undefined) return []
  const schema = toObjectSchema(args, `prompt '${name}'`)
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return propertiesOf(schema).map(([argument, { title, description }]) => ({
    name: argument,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    required: required.includes(argument),
  }))
}

async function run(
  prompt: { name: string; definition: AnyDefinition; handler: Handler },
  given: unknown,
  context: Context,
): Promise<GetPromptResult> {
  const { name, definition, handler } = prompt
  const checked = await definition.args?.['~standard'].validate(given)
  if (checked?.issues !== undefined) {
    throw new McpError(
      errorCode.invalidParams,
      `The arguments of prompt '${name}' are not valid. ${describeIssues(checked.issues)}`,
    )
  }
  const value = checked === undefined ? {} : checked.value
  return toPromptResult(await handler(value as never, context as never), definition.description)
}

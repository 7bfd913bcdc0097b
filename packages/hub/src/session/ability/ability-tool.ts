import { abilitySchemas, type Ability } from '@herma/contract'
import { z } from 'zod'
import type { JsonSchema } from '../turn/types.ts'
import type { WorkResult } from '../work/types.ts'
import type { Job } from './job.ts'

type Schemas = typeof abilitySchemas

export type InputOf<Name extends Ability> = z.infer<Schemas[Name]['input']>
export type OutputOf<Name extends Ability> = z.infer<Schemas[Name]['output']>

/** One of the things that a session can do for others. */
export interface AbilityTool<Name extends Ability = Ability> {
  readonly name: Name
  readonly title: string
  readonly description: string
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly openWorldHint: boolean
  }
  run(args: InputOf<Name>, job: Job): Promise<AbilityAnswer<Name>>
}

export interface AbilityAnswer<Name extends Ability> {
  /** The same for people and for models that read no structure. */
  readonly text: string
  readonly output: OutputOf<Name>
  readonly work: WorkResult
}

/** As in tools/list. */
export function describeAbility({ name, title, description, annotations }: AbilityTool): Record<string, unknown> {
  const { input, output } = abilitySchemas[name]
  const [inputSchema, outputSchema] = [toJsonSchema(input, 'input'), toJsonSchema(output, 'output')]
  return { name, title, description, inputSchema, outputSchema, annotations }
}

/** The schema of an ability's answer, for models that have to write it. */
export function answerSchema(name: Ability): JsonSchema {
  return toJsonSchema(abilitySchemas[name].output, 'output')
}

const made = new WeakMap<z.ZodType, JsonSchema>()

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = made.get(schema)
  if (known !== undefined) return known
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  made.set(schema, rest)
  return rest
}

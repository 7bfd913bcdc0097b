import type { AgentTool, JsonSchema, ToolRunContext } from '../../turn/types.ts'

type FieldKind = 'string' | 'integer' | 'boolean' | 'strings'

interface Field<Kind extends FieldKind> {
  readonly kind: Kind
  readonly schema: JsonSchema
}

interface FieldTypes {
  string: string
  integer: number
  boolean: boolean
  strings: readonly string[]
}

type Fields = Readonly<Record<string, Field<FieldKind>>>

type Values<F extends Fields, Required extends keyof F> = {
  readonly [Name in Required]: FieldTypes[F[Name]['kind']]
} & { readonly [Name in Exclude<keyof F, Required>]?: FieldTypes[F[Name]['kind']] | undefined }

interface Definition<F extends Fields, Required extends keyof F> {
  readonly name: string
  readonly description: string
  readonly properties: F
  readonly required: readonly Required[]
  readonly isReadOnly: boolean
  /** The turn has checked the arguments against the schema. */
  run(args: Values<F, Required>, context: ToolRunContext): Promise<string>
}

/** A tool of the hub's own for models. What it throws is told to the model. */
export function defineTool<const F extends Fields, const Required extends keyof F & string>(
  definition: Definition<F, Required>,
): AgentTool {
  const { name, description, properties, required, isReadOnly } = definition
  const schemas = Object.entries(properties).map(([key, { schema }]) => [key, schema])
  return {
    name,
    description,
    isReadOnly,
    inputSchema: { type: 'object', properties: Object.fromEntries(schemas), required, additionalProperties: false },
    run: async (args, context) => ({ text: await definition.run(args as Values<F, Required>, context) }),
  }
}

export function field<Kind extends FieldKind>(kind: Kind, description: string): Field<Kind> {
  const schema = kind === 'strings' ? { type: 'array', items: { type: 'string' } } : { type: kind }
  return { kind, schema: { ...schema, description } }
}

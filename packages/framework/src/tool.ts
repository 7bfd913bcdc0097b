import type { CallToolResult, StandardSchemaWithJSON } from '@modelcontextprotocol/server'

/** Any Standard Schema that can write itself as JSON Schema: zod, valibot, arktype and others. */
export type InputSchema = StandardSchemaWithJSON

/** One tool of a server: what clients see of it, and what it does. */
export interface Tool<Input extends InputSchema = InputSchema> {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: Input
  /** Gets arguments that passed `input`. A string becomes one text block; a thrown error, an `isError` result. */
  run(
    input: StandardSchemaWithJSON.InferOutput<Input>,
    context: { signal: AbortSignal },
  ): string | CallToolResult | Promise<string | CallToolResult>
}

/** A tool as `tools/list` shows it. */
export function describeTool(tool: Tool) {
  const inputSchema = tool.input['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  if (inputSchema['type'] !== 'object') {
    throw new TypeError(`The input of tool '${tool.name}' must be an object schema, for example z.object({ … }).`)
  }
  const title = tool.title === undefined ? {} : { title: tool.title }
  return {
    name: tool.name,
    ...title,
    description: tool.description,
    inputSchema: { ...inputSchema, type: 'object' as const },
  }
}

/** Checks the arguments and runs the tool. What goes wrong is told to the model, which can then correct itself. */
export async function runTool(tool: Tool, input: unknown, signal: AbortSignal): Promise<CallToolResult> {
  try {
    const checked = await tool.input['~standard'].validate(input)
    if (checked.issues) {
      const issues = checked.issues.map((issue) => `${formatPath(issue.path)}: ${issue.message}`)
      return failure(`The arguments of '${tool.name}' are not valid. ${issues.join(' ')}`)
    }
    const answer = await tool.run(checked.value, { signal })
    return typeof answer === 'string' ? { content: [{ type: 'text', text: answer }] } : answer
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error))
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function formatPath(path: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined): string {
  if (path === undefined || path.length === 0) return 'arguments'
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
}

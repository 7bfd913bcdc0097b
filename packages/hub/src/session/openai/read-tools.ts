import { z } from 'zod'
import type { AgentTool, JsonSchema, Turn } from '../turn/types.ts'
import { wrongField } from './read-fields.ts'

export const FunctionTool = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'A function is named with up to 64 of A-Z, a-z, 0-9, "_" and "-".'),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
})
export type FunctionTool = z.infer<typeof FunctionTool>

export const toolList = z
  .array(z.looseObject({ type: z.string() }))
  .max(512)
  .nullish()
export const toolChoice = z
  .union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.string() })], {
    error: 'Use auto, none, required, or the name of a function.',
  })
  .nullish()

/** What a client wants of its tools. */
export interface ToolWish {
  readonly clientTools: readonly AgentTool[]
  readonly toolChoice: Turn['toolChoice']
}

/** The choice of a client: a word, or one or some of its functions. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string }
  | { readonly mode: 'auto' | 'required'; readonly names: readonly string[] }

/** Tools that the client runs itself; what it does not want to be called is not shown to the model. */
export function readTools(functions: readonly FunctionTool[], choice: ToolChoice): ToolWish {
  const names = new Set<string>()
  for (const { name } of functions) {
    if (names.has(name)) throw wrongField('tools', `Two functions are named '${name}'.`)
    names.add(name)
  }
  const require = (name: string) => {
    if (!names.has(name)) throw wrongField('tool_choice', `No function of "tools" is named ${JSON.stringify(name)}.`)
    return name
  }
  const toTools = (isMeant: (name: string) => boolean) => functions.filter(({ name }) => isMeant(name)).map(toAgentTool)
  // The session's own tools are no business of the client, so that "none" does not speak of them.
  if (choice === 'none') return { clientTools: [], toolChoice: undefined }
  if (typeof choice === 'string') {
    if (choice === 'required' && names.size === 0)
      throw wrongField('tool_choice', '"required" needs a function in "tools".')
    return { clientTools: toTools(() => true), toolChoice: choice === 'auto' ? undefined : choice }
  }
  if ('name' in choice) return { clientTools: toTools(() => true), toolChoice: { tool: require(choice.name) } }
  const meant = new Set(choice.names.map(require))
  return {
    clientTools: toTools((name) => meant.has(name)),
    toolChoice: choice.mode === 'auto' ? undefined : choice.mode,
  }
}

function toAgentTool({ name, description, parameters }: FunctionTool): AgentTool {
  const inputSchema: JsonSchema = parameters ?? { type: 'object', properties: {} }
  return { name, description: description ?? '', inputSchema, isReadOnly: true }
}

/** Arguments as the model wrote them, which are a text on the wire. */
export function readFunctionArguments(text: string, param: string): Record<string, unknown> {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Told below, with everything else that is no object.
  }
  throw wrongField(param, 'The arguments of a call are the text of a JSON object.')
}

import { z } from 'zod'
import type { AssistantPart, ImagePart, JsonSchema, TextPart } from '../turn/types.ts'
import { readFields, wrongField } from './read-fields.ts'
import { readImage } from './read-image.ts'
import { FunctionTool, readFunctionArguments, readTools, toolChoice, toolList, type ToolChoice } from './read-tools.ts'
import { TalkBuilder } from './talk-builder.ts'
import type { OpenAiRequest } from './types.ts'

export interface ChatRequest extends OpenAiRequest {
  /** The stream ends with what was used. */
  readonly includesUsage: boolean
}

/** Reads the body of `POST /chat/completions`. Fields that mean nothing to us are left alone. */
export function readChatRequest(body: unknown): ChatRequest {
  const fields = readFields(ChatBody, body)
  if ((fields.n ?? 1) !== 1) throw wrongField('n', 'A session gives one answer. Leave it out, or ask several times.')
  if (fields.functions != null || fields.function_call != null)
    throw wrongField('functions', 'They are the older form, which is not taken here. Send "tools" and "tool_choice".')
  const talk = new TalkBuilder()
  fields.messages.forEach((message, index) => addMessage(talk, message, `messages[${index}]`))
  const functions = (fields.tools ?? []).flatMap((tool, index) => readTool(tool, index))
  const wish = readTools(functions, readChoice(fields.tool_choice ?? 'auto'))
  const stop = typeof fields.stop === 'string' ? [fields.stop] : (fields.stop ?? [])
  return {
    ...talk.end('messages'),
    clientTools: wish.clientTools,
    settings: {
      temperature: fields.temperature ?? undefined,
      topP: fields.top_p ?? undefined,
      maxOutputTokens: fields.max_completion_tokens ?? fields.max_tokens ?? undefined,
      stopSequences: stop.length === 0 ? undefined : stop,
      toolChoice: wish.toolChoice,
    },
    responseSchema: schemaOf(fields.response_format),
    isStream: fields.stream === true,
    includesUsage: fields.stream_options?.include_usage === true,
  }
}

const TextContent = z.looseObject({ type: z.literal('text'), text: z.string() })
const texts = z.union([z.string(), z.array(TextContent)], { error: 'Only texts are taken here.' })
const userParts = z.array(
  z.discriminatedUnion(
    'type',
    [TextContent, z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) })],
    { error: 'A part is of type text or image_url. Files and sounds are not taken here.' },
  ),
)
const ToolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function', { error: 'Only calls of functions are taken here.' }).default('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})
const assistantParts = z.array(
  z.discriminatedUnion('type', [TextContent, z.looseObject({ type: z.literal('refusal'), refusal: z.string() })], {
    error: 'A part of an assistant is of type text or refusal.',
  }),
)

const Message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system'), content: texts }),
    z.looseObject({ role: z.literal('developer'), content: texts }),
    z.looseObject({ role: z.literal('user'), content: z.union([z.string(), userParts]) }),
    z.looseObject({
      role: z.literal('assistant'),
      content: z.union([z.string(), assistantParts]).nullish(),
      tool_calls: z.array(ToolCall).nullish(),
    }),
    z.looseObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
  ],
  { error: 'A message has the role system, developer, user, assistant or tool.' },
)
type Message = z.infer<typeof Message>

const ResponseFormat = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() }),
    }),
  ],
  { error: 'The type is text, json_object or json_schema.' },
)

const ChatBody = z.looseObject({
  messages: z.array(Message).min(1, 'There is nothing to answer. Send a message of the user.'),
  n: z.number().nullish(),
  functions: z.unknown().optional(),
  function_call: z.unknown().optional(),
  tools: toolList,
  tool_choice: toolChoice,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  response_format: ResponseFormat.nullish(),
})

function addMessage(talk: TalkBuilder, message: Message, param: string): void {
  switch (message.role) {
    case 'system':
    case 'developer':
      return talk.instruct(textOf(message.content))
    case 'user':
      return talk.user(toUserParts(message.content, param), param)
    case 'assistant':
      return talk.assistant(toAssistantParts(message, param), param)
    case 'tool':
      return talk.result({ id: message.tool_call_id, text: textOf(message.content) }, param)
  }
}

function textOf(content: string | readonly { readonly text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

function toUserParts(content: string | z.infer<typeof userParts>, param: string): (TextPart | ImagePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part, index) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : readImage(part.image_url.url, `${param}.content[${index}].image_url.url`),
  )
}

function toAssistantParts(
  { content, tool_calls: calls }: Extract<Message, { role: 'assistant' }>,
  param: string,
): AssistantPart[] {
  const said =
    typeof content === 'string'
      ? [content]
      : (content ?? []).map((part) => (part.type === 'text' ? part.text : part.refusal))
  const parts: AssistantPart[] = said.filter((text) => text !== '').map((text) => ({ type: 'text', text }))
  for (const [index, { id, function: called }] of (calls ?? []).entries()) {
    const args = readFunctionArguments(called.arguments, `${param}.tool_calls[${index}].function.arguments`)
    parts.push({ type: 'tool-call', id, name: called.name, arguments: args })
  }
  return parts
}

/** Tools that OpenAI would run itself are left out: what a model is not shown, it does not call. */
function readTool(tool: { readonly type: string; readonly function?: unknown }, index: number): FunctionTool[] {
  if (tool.type !== 'function') return []
  return [readFields(FunctionTool, tool.function, `tools[${index}].function`)]
}

function readChoice(choice: NonNullable<z.infer<typeof toolChoice>>): ToolChoice {
  if (typeof choice === 'string') return choice
  if (choice.type === 'function') return readFields(NamedChoice, choice, 'tool_choice').function
  if (choice.type !== 'allowed_tools')
    throw wrongField('tool_choice', `${JSON.stringify(choice.type)} is not known here.`)
  const { mode, tools } = readFields(AllowedChoice, choice, 'tool_choice').allowed_tools
  return { mode, names: tools.map((tool) => tool.function.name) }
}

const named = z.looseObject({ name: z.string() })
const NamedChoice = z.looseObject({ function: named })
const AllowedChoice = z.looseObject({
  allowed_tools: z.looseObject({
    mode: z.enum(['auto', 'required']),
    tools: z.array(z.looseObject({ function: named })),
  }),
})

function schemaOf(format: z.infer<typeof ResponseFormat> | null | undefined): JsonSchema | undefined {
  if (format?.type === 'json_object') return { type: 'object' }
  return format?.type === 'json_schema' ? (format.json_schema.schema ?? { type: 'object' }) : undefined
}

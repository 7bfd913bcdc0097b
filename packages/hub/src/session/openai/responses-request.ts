import { z } from 'zod'
import type { ImagePart, JsonSchema, TextPart, TurnMessage } from '../turn/types.ts'
import { readFields, wrongField } from './read-fields.ts'
import { readImage } from './read-image.ts'
import { FunctionTool, readFunctionArguments, readTools, toolChoice, toolList, type ToolChoice } from './read-tools.ts'
import { TalkBuilder } from './talk-builder.ts'
import type { OpenAiRequest } from './types.ts'

const ResponsesFormat = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }),
  ],
  { error: 'The type is text, json_object or json_schema.' },
)

/** The body of `POST /responses`, as far as it means something to us. */
export const ResponsesBody = z.looseObject({
  input: z.union([z.string(), z.array(z.looseObject({}))], { error: 'It is a text or a list of items.' }).nullish(),
  instructions: z.string({ error: 'It is a text.' }).nullish(),
  previous_response_id: z.string().max(200).nullish(),
  conversation: z.unknown().optional(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  tools: toolList,
  tool_choice: toolChoice,
  text: z.looseObject({ format: ResponsesFormat.nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  stream: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type ResponsesBody = z.infer<typeof ResponsesBody>

export function readResponsesBody(body: unknown): ResponsesBody {
  const fields = readFields(ResponsesBody, body)
  if (fields.background === true)
    throw wrongField('background', 'Nothing runs in the background here. Leave it out, and listen to a stream.')
  if (fields.conversation != null)
    throw wrongField('conversation', 'There are no conversations here. Use "previous_response_id".')
  return fields
}

/** What is asked, behind what was said before. */
export function toResponsesRequest(fields: ResponsesBody, before: readonly TurnMessage[]): OpenAiRequest {
  const talk = new TalkBuilder(before)
  talk.instruct(fields.instructions ?? '')
  const items = typeof fields.input === 'string' ? [{ role: 'user', content: fields.input }] : (fields.input ?? [])
  items.forEach((item, index) => addItem(talk, item, `input[${index}]`))
  const functions = (fields.tools ?? []).flatMap((tool, index) =>
    // Tools that OpenAI would run itself are left out: what a model is not shown, it does not call.
    tool.type === 'function' ? [readFields(FunctionTool, tool, `tools[${index}]`)] : [],
  )
  const wish = readTools(functions, readChoice(fields.tool_choice ?? 'auto'))
  return {
    ...talk.end('input'),
    clientTools: wish.clientTools,
    settings: {
      temperature: fields.temperature ?? undefined,
      topP: fields.top_p ?? undefined,
      maxOutputTokens: fields.max_output_tokens ?? undefined,
      toolChoice: wish.toolChoice,
    },
    responseSchema: schemaOf(fields.text?.format),
    isStream: fields.stream === true,
  }
}

const Text = z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() })
const Content = z.discriminatedUnion(
  'type',
  [
    Text,
    z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
    z.looseObject({ type: z.literal('input_image'), image_url: z.string({ error: 'Send the image as a data: URL.' }) }),
  ],
  { error: 'A part is of type input_text, output_text, refusal or input_image. Files and sounds are not taken here.' },
)
const contents = z.union([z.string(), z.array(Content)])

const Message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system', 'developer'], {
    error: 'A message has the role user, assistant, system or developer.',
  }),
  content: contents,
})
const FunctionCall = z.looseObject({ call_id: z.string(), name: z.string(), arguments: z.string() })
const FunctionCallOutput = z.looseObject({ call_id: z.string(), output: contents })

function addItem(talk: TalkBuilder, item: Readonly<Record<string, unknown>>, param: string): void {
  const type = item['type'] ?? ('role' in item ? 'message' : 'item_reference')
  switch (type) {
    case 'message':
      return addMessage(talk, readFields(Message, item, param), param)
    case 'function_call': {
      const { call_id: id, name, arguments: text } = readFields(FunctionCall, item, param)
      const args = readFunctionArguments(text, `${param}.arguments`)
      return talk.assistant([{ type: 'tool-call', id, name, arguments: args }], param)
    }
    case 'function_call_output': {
      const { call_id: id, output } = readFields(FunctionCallOutput, item, param)
      const parts = toParts(output, `${param}.output`)
      return talk.result({ id, text: textOf(parts), images: parts.filter((part) => part.type === 'image') }, param)
    }
    // What a model thought can only be given back to those who had the thoughts.
    case 'reasoning':
      return
    case 'item_reference':
      throw wrongField(param, 'Items cannot be named here. Send the item itself, or use "previous_response_id".')
    default:
      throw wrongField(`${param}.type`, `${JSON.stringify(type)} is not known here.`)
  }
}

function addMessage(talk: TalkBuilder, { role, content }: z.infer<typeof Message>, param: string): void {
  const parts = toParts(content, `${param}.content`)
  if (role === 'user') return talk.user(parts, param)
  if (role !== 'assistant') return talk.instruct(textOf(parts))
  talk.assistant(
    parts.filter((part) => part.type === 'text').filter(({ text }) => text !== ''),
    param,
  )
}

function toParts(content: z.infer<typeof contents>, param: string): (TextPart | ImagePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part, index) => {
    if (part.type === 'input_image') return readImage(part.image_url, `${param}[${index}].image_url`)
    return { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text }
  })
}

function textOf(parts: readonly (TextPart | ImagePart)[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function readChoice(choice: NonNullable<ResponsesBody['tool_choice']>): ToolChoice {
  if (typeof choice === 'string') return choice
  if (choice.type === 'function') return readFields(named, choice, 'tool_choice')
  if (choice.type !== 'allowed_tools')
    throw wrongField('tool_choice', `${JSON.stringify(choice.type)} is not known here.`)
  const { mode, tools } = readFields(AllowedChoice, choice, 'tool_choice')
  return { mode, names: tools.map(({ name }) => name) }
}

const named = z.looseObject({ name: z.string() })
const AllowedChoice = z.looseObject({ mode: z.enum(['auto', 'required']), tools: z.array(named) })

function schemaOf(format: z.infer<typeof ResponsesFormat> | null | undefined): JsonSchema | undefined {
  if (format?.type === 'json_object') return { type: 'object' }
  return format?.type === 'json_schema' ? format.schema : undefined
}

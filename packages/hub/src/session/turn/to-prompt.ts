import type { LanguageModelV3Message, LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from '@ai-sdk/provider'
import type { ToolNames } from './tool-names.ts'
import type { AssistantPart, ImagePart, ProviderData, TextPart, ToolResultPart, TurnMessage } from './types.ts'

export interface PromptOptions {
  readonly instructions: string
  readonly names: ToolNames
  /** `openai.responses`, `anthropic.messages`, … */
  readonly provider: string
}

/** Our messages as the AI SDK wants them. */
export function toPrompt(messages: readonly TurnMessage[], options: PromptOptions): LanguageModelV3Prompt {
  const system: LanguageModelV3Message[] =
    options.instructions === '' ? [] : [{ role: 'system', content: options.instructions }]
  return [...system, ...joinToolMessages(messages).flatMap((message) => toMessages(message, options))]
}

/** The name under which a provider keeps what it wants back: `openai` of `openai.responses`. */
export function providerKey(provider: string): string {
  return provider.split('.')[0] ?? provider
}

/** Results of one step stand in one message, though those of the client came later than ours. */
function joinToolMessages(messages: readonly TurnMessage[]): TurnMessage[] {
  const joined: TurnMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role === 'tool' && last?.role === 'tool') {
      joined[joined.length - 1] = { role: 'tool', parts: [...last.parts, ...message.parts] }
    } else joined.push(message)
  }
  return joined
}

function toMessages(message: TurnMessage, options: PromptOptions): LanguageModelV3Message[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.parts.map(toUserPart) }]
    case 'assistant': {
      const content = message.parts.flatMap((part) => toAssistantPart(part, options))
      // Nothing may be left of it when all of it was the reasoning of another provider.
      return content.length === 0 ? [] : [{ role: 'assistant', content }]
    }
    case 'tool':
      return [{ role: 'tool', content: message.parts.map((part) => toResultPart(part, options)) }]
  }
}

function toUserPart(part: TextPart | ImagePart) {
  if (part.type === 'text') return { type: 'text' as const, text: part.text }
  return { type: 'file' as const, data: part.data, mediaType: part.mediaType }
}

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content']

function toAssistantPart(part: AssistantPart, { names, provider }: PromptOptions): AssistantContent {
  const providerOptions = toOptions(part.providerData, provider)
  const common = providerOptions === undefined ? {} : { providerOptions }
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...common }]
    case 'reasoning':
      // Thoughts are signed by whoever had them; another provider refuses them or takes them for its own.
      return providerOptions === undefined ? [] : [{ type: 'reasoning', text: part.text, ...common }]
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.id,
          toolName: names.toWire(part.name),
          input: part.arguments,
          ...common,
        },
      ]
  }
}

type Options = NonNullable<LanguageModelV3Message['providerOptions']>

/** What the present provider left; what others left stays in the database only. */
function toOptions(data: ProviderData | undefined, provider: string): Options | undefined {
  const key = providerKey(provider)
  const own = data?.[key]
  return own === undefined ? undefined : ({ [key]: own } as Options)
}

/** Providers whose APIs take images as results of tools; others would get base64 as text. */
const takesImages = /^(anthropic|google|openai\.responses|sampling)/

function toResultPart(part: ToolResultPart, { names, provider }: PromptOptions): LanguageModelV3ToolResultPart {
  const common = { type: 'tool-result', toolCallId: part.id, toolName: names.toWire(part.name) } as const
  if (part.isError) return { ...common, output: { type: 'error-text', value: part.text } }
  const images = part.images ?? []
  if (images.length === 0) return { ...common, output: { type: 'text', value: part.text } }
  if (!takesImages.test(provider)) {
    const value = `${part.text}\n(${images.length} images are left out: this model cannot see results of tools.)`
    return { ...common, output: { type: 'text', value } }
  }
  const pictures = images.map(({ data, mediaType }) => ({ type: 'image-data' as const, data, mediaType }))
  return { ...common, output: { type: 'content', value: [{ type: 'text', text: part.text }, ...pictures] } }
}

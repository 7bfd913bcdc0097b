import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'

/** Clients want a number; one that most models can say. */
const usualMaxTokens = 8192

export interface SamplingParamsOptions {
  readonly hasTools: boolean
  readonly modelHints: readonly string[]
}

export type SamplingParams = Record<string, unknown> & { readonly messages: readonly SamplingMessage[] }

export interface SamplingMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

interface Block {
  readonly type: string
  readonly [field: string]: unknown
}

/** A question to a model as the parameters of `sampling/createMessage`. */
export function toSamplingParams(
  request: LanguageModelV3CallOptions,
  { hasTools, modelHints }: SamplingParamsOptions,
): SamplingParams {
  const system = request.prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []))
  const functions = (request.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool] : []))
  const offersTools = hasTools && functions.length > 0
  return {
    messages: request.prompt.flatMap((message) => toMessages(message, hasTools)),
    maxTokens: request.maxOutputTokens ?? usualMaxTokens,
    ...(system.length > 0 && { systemPrompt: system.join('\n\n') }),
    ...(modelHints.length > 0 && { modelPreferences: { hints: modelHints.map((name) => ({ name })) } }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.stopSequences !== undefined && { stopSequences: request.stopSequences }),
    ...(offersTools && { tools: functions.map(toTool), toolChoice: { mode: toMode(request.toolChoice) } }),
  }
}

function toTool({ name, description, inputSchema }: LanguageModelV3FunctionTool) {
  return { name, ...(description !== undefined && { description }), inputSchema }
}

function toMode(choice: LanguageModelV3CallOptions['toolChoice']): string {
  return choice === undefined || choice.type === 'tool' ? 'auto' : choice.type
}

function toMessages(message: LanguageModelV3Message, hasTools: boolean): SamplingMessage[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return nonEmpty('user', message.content.map(toBlock))
    case 'assistant':
      return nonEmpty(
        'assistant',
        message.content.flatMap((part) => {
          if (part.type === 'text') return part.text === '' ? [] : [toBlock(part)]
          if (part.type !== 'tool-call') return []
          const { toolCallId: id, toolName: name, input } = part
          // Without tools in the conversation, what was done with them is told.
          return [hasTools ? { type: 'tool_use', id, name, input } : told(`I used ${name}: ${JSON.stringify(input)}`)]
        }),
      )
    case 'tool': {
      // Such a message must hold nothing else.
      const results = message.content.flatMap((part) => (part.type === 'tool-result' ? [part] : []))
      return nonEmpty(
        'user',
        results.map((part) => (hasTools ? toResult(part) : told(`${part.toolName} answered: ${textOf(part)}`))),
      )
    }
  }
}

function nonEmpty(role: SamplingMessage['role'], content: Block[]): SamplingMessage[] {
  return content.length === 0 ? [] : [{ role, content }]
}

type UserPart = Extract<LanguageModelV3Message, { role: 'user' }>['content'][number]

function toBlock(part: UserPart): Block {
  if (part.type === 'text') return told(part.text)
  const type = part.mediaType.startsWith('audio/') ? 'audio' : 'image'
  const data = typeof part.data === 'string' ? part.data : part.data instanceof URL ? '' : toBase64(part.data)
  return { type, data, mimeType: part.mediaType }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

function told(text: string): Block {
  return { type: 'text', text }
}

function toResult(part: LanguageModelV3ToolResultPart): Block {
  const { output } = part
  const images =
    output.type !== 'content'
      ? []
      : output.value.flatMap((item) =>
          item.type === 'image-data' ? [{ type: 'image', data: item.data, mimeType: item.mediaType }] : [],
        )
  return {
    type: 'tool_result',
    toolUseId: part.toolCallId,
    content: [told(textOf(part)), ...images],
    ...(output.type.startsWith('error') && { isError: true }),
  }
}

function textOf({ output }: LanguageModelV3ToolResultPart): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? 'It was not run.'
    case 'content':
      return output.value.map((item) => (item.type === 'text' ? item.text : '')).join('')
  }
}

import type { TurnFinish, Usage } from '../turn/types.ts'
import type { OpenAiAnswer, AnswerForm, OpenAiFrame, OpenAiError } from './types.ts'

interface ChatHead {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  readonly includesUsage: boolean
}

/** An answer as `chat.completion`, or as its chunks. */
export class ChatForm implements AnswerForm {
  readonly #head: ChatHead

  constructor(head: ChatHead) {
    this.#head = head
  }

  whole({ text, result }: OpenAiAnswer): object {
    const { id, created, model } = this.#head
    const { clientCalls, finish, usage } = result
    const message = {
      role: 'assistant',
      content: text === '' && clientCalls.length > 0 ? null : text,
      refusal: null,
      annotations: [],
      ...(clientCalls.length > 0 && { tool_calls: clientCalls.map(toToolCall) }),
    }
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReasons[finish] }
    return { id, object: 'chat.completion', created, model, choices: [choice], usage: toChatUsage(usage) }
  }

  begin(): OpenAiFrame[] {
    return [this.#chunk({ role: 'assistant', content: '', refusal: null })]
  }

  text(content: string): OpenAiFrame[] {
    return [this.#chunk({ content })]
  }

  end({ result }: OpenAiAnswer): OpenAiFrame[] {
    const calls = result.clientCalls.flatMap((call, index) => {
      const { id, type, function: called } = toToolCall(call)
      const first = { index, id, type, function: { name: called.name, arguments: '' } }
      return [
        this.#chunk({ tool_calls: [first] }),
        this.#chunk({ tool_calls: [{ index, function: { arguments: called.arguments } }] }),
      ]
    })
    const last = this.#chunk({}, finishReasons[result.finish])
    const usage = this.#head.includesUsage
      ? [{ data: { ...this.#frame(), choices: [], usage: toChatUsage(result.usage) } }]
      : []
    return [...calls, last, ...usage, { data: '[DONE]' }]
  }

  fail(error: OpenAiError): OpenAiFrame[] {
    return [{ data: { error } }]
  }

  #chunk(delta: object, finish: string | null = null): OpenAiFrame {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish }
    // With usage asked for, every chunk has the field, and all but the last have nothing in it.
    return { data: { ...this.#frame(), choices: [choice], ...(this.#head.includesUsage && { usage: null }) } }
  }

  #frame() {
    const { id, created, model } = this.#head
    return { id, object: 'chat.completion.chunk', created, model }
  }
}

/** A limit of the session cuts an answer short like one of the model does. */
const finishReasons: Readonly<Record<TurnFinish, string>> = {
  stop: 'stop',
  length: 'length',
  'client-tools': 'tool_calls',
  steps: 'length',
  tokens: 'length',
  cost: 'length',
  refused: 'content_filter',
}

function toToolCall({ id, name, arguments: args }: OpenAiAnswer['result']['clientCalls'][number]) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

function toChatUsage({ inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}

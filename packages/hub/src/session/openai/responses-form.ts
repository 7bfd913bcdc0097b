import { randomBytes } from 'node:crypto'
import type { ToolCall, Usage } from '../turn/types.ts'
import type { ResponsesBody } from './responses-request.ts'
import type { OpenAiAnswer, AnswerForm, OpenAiFrame, OpenAiError } from './types.ts'

interface ResponsesHead {
  readonly id: string
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly model: string
  readonly asked: ResponsesBody
}

/** An answer as a `response`, or as the events of one. */
export class ResponsesForm implements AnswerForm {
  readonly #head: ResponsesHead
  readonly #messageId = `msg_${randomBytes(16).toString('hex')}`
  #sequence = 0
  /** Text was sent, so that its item has to be ended. */
  #text = ''

  constructor(head: ResponsesHead) {
    this.#head = head
  }

  whole(answer: OpenAiAnswer): object {
    return this.#response({
      ...endOf(answer),
      output: this.#output(answer),
      usage: toResponsesUsage(answer.result.usage),
    })
  }

  begin(): OpenAiFrame[] {
    const response = this.#response({ status: 'in_progress' })
    return [this.#event('response.created', { response }), this.#event('response.in_progress', { response })]
  }

  text(delta: string): OpenAiFrame[] {
    const isFirst = this.#text === ''
    this.#text += delta
    const at = this.#place()
    const item = { ...this.#message(''), status: 'in_progress', content: [] }
    const begin = isFirst
      ? [
          this.#event('response.output_item.added', { output_index: 0, item }),
          this.#event('response.content_part.added', { ...at, part: toTextPart('') }),
        ]
      : []
    return [...begin, this.#event('response.output_text.delta', { ...at, delta, logprobs: [] })]
  }

  end(answer: OpenAiAnswer): OpenAiFrame[] {
    const output = this.#output(answer)
    const items = output.flatMap((item, index) => (item.type === 'message' ? this.#endText() : this.#call(item, index)))
    const { status, ...end } = endOf(answer)
    const response = this.#response({ status, ...end, output, usage: toResponsesUsage(answer.result.usage) })
    return [...items, this.#event(`response.${status}`, { response })]
  }

  fail({ message, code, type }: OpenAiError): OpenAiFrame[] {
    const known =
      code === 'rate_limit_exceeded' ? code : type === 'invalid_request_error' ? 'invalid_prompt' : 'server_error'
    const output = this.#text === '' ? [] : [{ ...this.#message(this.#text), status: 'incomplete' }]
    const response = this.#response({ status: 'failed', error: { code: known, message }, output })
    return [this.#event('response.failed', { response })]
  }

  #endText(): OpenAiFrame[] {
    const at = this.#place()
    const text = this.#text
    return [
      this.#event('response.output_text.done', { ...at, text, logprobs: [] }),
      this.#event('response.content_part.done', { ...at, part: toTextPart(text) }),
      this.#event('response.output_item.done', { output_index: 0, item: this.#message(text) }),
    ]
  }

  #call(item: FunctionCallItem, index: number): OpenAiFrame[] {
    const at = { item_id: item.id, output_index: index }
    const { arguments: args, name } = item
    return [
      this.#event('response.output_item.added', {
        output_index: index,
        item: { ...item, arguments: '', status: 'in_progress' },
      }),
      this.#event('response.function_call_arguments.delta', { ...at, delta: args }),
      this.#event('response.function_call_arguments.done', { ...at, name, arguments: args }),
      this.#event('response.output_item.done', { output_index: index, item }),
    ]
  }

  #output({ text, result }: OpenAiAnswer) {
    return [...(text === '' ? [] : [this.#message(text)]), ...result.clientCalls.map(toFunctionCall)]
  }

  #message(text: string) {
    const content = [toTextPart(text)]
    return { id: this.#messageId, type: 'message' as const, status: 'completed', role: 'assistant', content }
  }

  #place() {
    return { item_id: this.#messageId, output_index: 0, content_index: 0 }
  }

  #event(type: string, fields: object): OpenAiFrame {
    return { event: type, data: { type, sequence_number: this.#sequence++, ...fields } }
  }

  #response(end: object): object {
    const { id, createdAt, model, asked } = this.#head
    return {
      id,
      object: 'response',
      created_at: createdAt,
      status: 'completed',
      background: false,
      error: null,
      incomplete_details: null,
      instructions: asked.instructions ?? null,
      max_output_tokens: asked.max_output_tokens ?? null,
      model,
      output: [],
      parallel_tool_calls: true,
      previous_response_id: asked.previous_response_id ?? null,
      reasoning: { effort: null, summary: null },
      store: asked.store ?? true,
      temperature: asked.temperature ?? null,
      text: { format: asked.text?.format ?? { type: 'text' } },
      tool_choice: asked.tool_choice ?? 'auto',
      tools: asked.tools ?? [],
      top_p: asked.top_p ?? null,
      truncation: 'disabled',
      usage: null,
      user: null,
      metadata: asked.metadata ?? {},
      ...end,
    }
  }
}

type FunctionCallItem = ReturnType<typeof toFunctionCall>

function toFunctionCall({ id, name, arguments: args }: ToolCall) {
  // Made of the call, so that the item is the same in every event.
  const text = JSON.stringify(args)
  return { id: `fc_${id}`, type: 'function_call' as const, status: 'completed', call_id: id, name, arguments: text }
}

function toTextPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

/** A limit of the session cuts an answer short like one of the model does. */
function endOf({ result }: OpenAiAnswer): { status: 'completed' | 'incomplete'; incomplete_details: object | null } {
  const { finish } = result
  if (finish === 'stop' || finish === 'client-tools') return { status: 'completed', incomplete_details: null }
  const reason = finish === 'refused' ? 'content_filter' : 'max_output_tokens'
  return { status: 'incomplete', incomplete_details: { reason } }
}

function toResponsesUsage({ inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens }: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens,
  }
}

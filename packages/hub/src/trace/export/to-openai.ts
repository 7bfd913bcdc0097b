import type { EventView } from '@herma/contract'
import { markMissing, textOfToolCall, toolUses } from './recorded-call.ts'

/** Messages of the chat completions API: https://platform.openai.com/docs/api-reference/chat/create */
export function toOpenAiChat(events: readonly EventView[]): unknown {
  return {
    messages: toolUses(events).flatMap((use) => {
      const { id } = use.call
      const call = { name: use.name, arguments: JSON.stringify(use.arguments ?? {}) }
      return [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: call }],
          ...markMissing(use),
        },
        { role: 'tool', tool_call_id: id, content: textOfToolCall(use) },
      ]
    }),
  }
}

/** Items of the responses API: https://platform.openai.com/docs/api-reference/responses/create */
export function toOpenAiResponses(events: readonly EventView[]): unknown {
  return {
    input: toolUses(events).flatMap((use) => {
      const { id } = use.call
      return [
        {
          type: 'function_call',
          call_id: id,
          name: use.name,
          arguments: JSON.stringify(use.arguments ?? {}),
          status: use.call.event.outcome === 'cancelled' ? 'incomplete' : 'completed',
          ...markMissing(use),
        },
        { type: 'function_call_output', call_id: id, output: textOfToolCall(use) },
      ]
    }),
  }
}

import type { EventView } from '@herma/contract'
import { markMissing, textOfToolCall, toolUses, type RecordedToolCall } from './recorded-call.ts'

/** `contents` as the Gemini API takes them: https://ai.google.dev/api/caching#Content */
export function toGemini(events: readonly EventView[]): unknown {
  return {
    contents: toolUses(events).flatMap((use) => {
      const { name } = use
      const { id } = use.call
      return [
        { role: 'model', parts: [{ functionCall: { id, name, args: use.arguments ?? {} } }], ...markMissing(use) },
        { role: 'user', parts: [{ functionResponse: { id, name, response: responseOf(use) } }] },
      ]
    }),
  }
}

// The keys that the API itself proposes for what a function returned.
function responseOf(use: RecordedToolCall): object {
  if (use.isError) return { error: textOfToolCall(use) }
  return { output: use.structured ?? textOfToolCall(use) }
}

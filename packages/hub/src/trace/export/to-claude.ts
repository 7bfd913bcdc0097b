import type { EventView } from '@herma/contract'
import { endOf, markMissing, textOfToolCall, toolUses, type RecordedToolCall } from './recorded-call.ts'
import { uuidOf } from './uuid-of.ts'

/** Lines of a transcript as Claude Code keeps them: what the assistant used, and what it was given back. */
export function toClaude(events: readonly EventView[], version: string): unknown[] {
  let parentUuid: string | null = null
  const line = (use: RecordedToolCall, type: 'assistant' | 'user', rest: object) => {
    const { event } = use.call
    const uuid = uuidOf(`${type} ${event.spanId ?? event.id}`)
    const entry = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: '/',
      sessionId: uuidOf(event.session ?? event.traceId ?? '0'),
      version: `herma-${version}`,
      gitBranch: '',
      type,
      ...rest,
      uuid,
      timestamp: type === 'assistant' ? event.at : new Date(endOf(use.call)).toISOString(),
    }
    parentUuid = uuid
    return entry
  }
  return toolUses(events).flatMap((use) => {
    const id = `toolu_${use.call.id.slice('call_'.length)}`
    const name = `mcp__${use.call.event.server ?? 'herma'}__${use.name}`
    return [
      line(use, 'assistant', {
        message: {
          id: `msg_${use.call.id.slice('call_'.length)}`,
          type: 'message',
          role: 'assistant',
          // The name that Claude Code gives to messages that no model wrote.
          model: '<synthetic>',
          content: [{ type: 'tool_use', id, name, input: use.arguments ?? {} }],
          stop_reason: 'tool_use',
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
        ...markMissing(use),
      }),
      line(use, 'user', {
        message: {
          role: 'user',
          content: [
            {
              tool_use_id: id,
              type: 'tool_result',
              content: blocksOf(use),
              ...(use.isError ? { is_error: true } : {}),
            },
          ],
        },
        toolUseResult: textOfToolCall(use),
      }),
    ]
  })
}

/** Text and pictures as they are; anything else as text. */
function blocksOf(use: RecordedToolCall): object[] {
  if (use.content === undefined || use.content.length === 0) return [{ type: 'text', text: textOfToolCall(use) }]
  return use.content.map((block) => {
    if (block['type'] === 'text') return { type: 'text', text: block['text'] }
    if (block['type'] !== 'image') return { type: 'text', text: JSON.stringify(block) }
    return { type: 'image', source: { type: 'base64', media_type: block['mimeType'], data: block['data'] } }
  })
}

import type { EventView } from '@herma/contract'
import { endOf, markMissing, textOfToolCall, toolUses } from './recorded-call.ts'
import { uuidOf } from './uuid-of.ts'

/**
 * Lines of a session file as Codex keeps them: a head, then each tool call with its output. Codex shows MCP calls from
 * `mcp_tool_call_end`, and sends the other two to the model when the session is resumed.
 */
export function toCodex(events: readonly EventView[], version: string): unknown[] {
  const uses = toolUses(events)
  const first = uses[0]?.call.event ?? events[0]
  const at = first?.at ?? new Date(0).toISOString()
  const head = {
    timestamp: at,
    type: 'session_meta',
    payload: {
      id: uuidOf(first?.session ?? first?.traceId ?? '0'),
      timestamp: at,
      cwd: '/',
      originator: 'herma',
      cli_version: version,
      source: 'mcp',
      instructions: null,
    },
  }
  const items = uses.flatMap((use) => {
    const { call, name } = use
    const { server = 'herma', at: begun, ms = 0 } = call.event
    const ended = new Date(endOf(call)).toISOString()
    const invocation = { server, tool: name, arguments: use.arguments ?? null }
    return [
      responseItem(begun, {
        type: 'function_call',
        name: `mcp__${server}__${name}`,
        arguments: JSON.stringify(use.arguments ?? {}),
        call_id: call.id,
        ...markMissing(use),
      }),
      responseItem(ended, { type: 'function_call_output', call_id: call.id, output: textOfToolCall(use) }),
      {
        timestamp: ended,
        type: 'event_msg',
        payload: {
          type: 'mcp_tool_call_end',
          call_id: call.id,
          invocation,
          duration: { secs: Math.floor(ms / 1000), nanos: Math.round((ms % 1000) * 1e6) },
          result: { Ok: { content: use.content ?? [], is_error: use.isError } },
        },
      },
    ]
  })
  return [head, ...items]
}

function responseItem(timestamp: string, payload: object): object {
  return { timestamp, type: 'response_item', payload }
}

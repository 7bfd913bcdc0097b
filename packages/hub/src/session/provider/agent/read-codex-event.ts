import { isObject } from '../../../wire/index.ts'
import { addUsage } from '../../turn/usage.ts'
import type { AgentTalk } from './agent-talk.ts'
import { countOf, textIn } from './event-field.ts'

/** One line of `codex exec --json`: https://github.com/openai/codex/blob/main/codex-rs/exec/src/exec_events.rs */
export function readCodexEvent(event: Record<string, unknown>, talk: AgentTalk): void {
  const { type, item, error, usage } = event
  switch (type) {
    case 'thread.started':
      talk.threadId = textIn(event, 'thread_id')
      break
    case 'turn.started':
      talk.steps++
      break
    case 'item.started':
      if (isObject(item)) begin(item, talk)
      break
    case 'item.completed':
      if (isObject(item)) complete(item, talk)
      break
    case 'turn.completed':
      talk.isDone = true
      if (isObject(usage)) addCodexUsage(usage, talk)
      break
    case 'turn.failed':
      talk.failure = { message: isObject(error) ? (textIn(error, 'message') ?? '') : '' }
      break
    case 'error':
      // It also tells in this way that it tries again; only a turn that does not end well failed.
      talk.failure = { message: textIn(event, 'message') ?? '' }
      break
    default:
    // Later versions may tell more.
  }
}

function begin(item: Record<string, unknown>, talk: AgentTalk): void {
  const call = toCall(item)
  if (call !== null) talk.call(textIn(item, 'id') ?? '', call.name, call.arguments)
}

function complete(item: Record<string, unknown>, talk: AgentTalk): void {
  const text = textIn(item, 'text') ?? ''
  if (item['type'] === 'agent_message') talk.say(text)
  else if (item['type'] === 'reasoning') talk.think(text)
  else if (item['type'] === 'error') talk.warn(textIn(item, 'message') ?? '')
  else {
    // Each is about one answer of the model. Some are told only when they are over.
    talk.steps++
    begin(item, talk)
    const isError = item['status'] === 'failed' || item['status'] === 'declined'
    talk.result(textIn(item, 'id') ?? '', { text: resultOf(item), isError })
  }
}

function toCall(item: Record<string, unknown>): { name: string; arguments: Record<string, unknown> } | null {
  switch (item['type']) {
    case 'command_execution':
      return { name: 'command_execution', arguments: { command: item['command'] } }
    case 'file_change':
      return { name: 'file_change', arguments: { changes: item['changes'] } }
    case 'web_search':
      return { name: 'web_search', arguments: { query: item['query'] } }
    case 'mcp_tool_call':
      return {
        name: `${textIn(item, 'server') ?? ''}.${textIn(item, 'tool') ?? ''}`,
        arguments: isObject(item['arguments']) ? item['arguments'] : {},
      }
    default:
      return null
  }
}

function resultOf(item: Record<string, unknown>): string {
  const { error, result } = item
  if (isObject(error)) return textIn(error, 'message') ?? ''
  if (isObject(result)) return JSON.stringify(result['content'])
  return textIn(item, 'aggregated_output') ?? ''
}

function addCodexUsage(usage: Record<string, unknown>, talk: AgentTalk): void {
  const inputTokens = countOf(usage, 'input_tokens')
  const outputTokens = countOf(usage, 'output_tokens')
  talk.usage = addUsage(talk.usage, {
    inputTokens,
    outputTokens,
    cachedInputTokens: countOf(usage, 'cached_input_tokens'),
    reasoningTokens: countOf(usage, 'reasoning_output_tokens'),
    totalTokens: inputTokens + outputTokens,
  })
}

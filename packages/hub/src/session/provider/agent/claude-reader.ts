import { isObject } from '../../../wire/index.ts'
import type { Usage } from '../../turn/types.ts'
import { addUsage, noUsage } from '../../turn/usage.ts'
import type { AgentTalk } from './agent-talk.ts'
import { countOf, textIn } from './event-field.ts'

/** Reads the lines of `claude -p --output-format stream-json --verbose`. */
export function createClaudeReader(): (event: Record<string, unknown>, talk: AgentTalk) => void {
  // A message comes in several lines, each with the usage of all of it.
  const answers = new Map<string, Usage>()
  return (event, talk) => {
    const { type, message } = event
    if (type === 'system' && event['subtype'] === 'init') talk.threadId = textIn(event, 'session_id')
    else if (type === 'assistant' && isObject(message)) {
      readAnswer(message, talk)
      const { usage } = message
      const id = textIn(message, 'id') ?? String(answers.size)
      answers.set(id, isObject(usage) ? toUsage(usage) : noUsage)
      talk.steps = answers.size
      talk.usage = [...answers.values()].reduce(addUsage, noUsage)
    } else if (type === 'user' && isObject(message)) readResults(message, talk)
    else if (type === 'result') readEnd(event, talk)
  }
}

function blocksOf({ content }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isObject) : []
}

function readAnswer(message: Record<string, unknown>, talk: AgentTalk): void {
  for (const block of blocksOf(message)) {
    if (block['type'] === 'text') talk.say(textIn(block, 'text') ?? '')
    else if (block['type'] === 'thinking') talk.think(textIn(block, 'thinking') ?? '')
    else if (block['type'] === 'tool_use') {
      const input = isObject(block['input']) ? block['input'] : {}
      talk.call(textIn(block, 'id') ?? '', textIn(block, 'name') ?? '', input)
    }
  }
}

/** What the agent's tools returned comes as if the user had said it. */
function readResults(message: Record<string, unknown>, talk: AgentTalk): void {
  for (const block of blocksOf(message)) {
    if (block['type'] !== 'tool_result') continue
    const text =
      textIn(block, 'content') ??
      blocksOf(block)
        .map((part) => textIn(part, 'text') ?? '')
        .join('')
    talk.result(textIn(block, 'tool_use_id') ?? '', { text, isError: block['is_error'] === true })
  }
}

function readEnd(event: Record<string, unknown>, talk: AgentTalk): void {
  if (isObject(event['usage'])) talk.usage = toUsage(event['usage'])
  if (typeof event['total_cost_usd'] === 'number') talk.costUsd = event['total_cost_usd']
  const subtype = textIn(event, 'subtype')
  const text = textIn(event, 'result')
  if (subtype === 'error_max_turns') talk.limit = 'steps'
  else if (subtype === 'error_max_budget_usd') talk.limit = 'cost'
  // A run that died of its provider calls itself a success too, so both have to be looked at.
  else if (event['is_error'] === true || subtype !== 'success') {
    const errors = Array.isArray(event['errors']) ? event['errors'].filter((one) => typeof one === 'string') : []
    const status = countOf(event, 'api_error_status')
    talk.failure = { message: text ?? errors.join(' '), ...(status > 0 && { status }) }
    return
  } else if (text !== undefined) talk.text = text
  talk.isDone = true
}

function toUsage(usage: Record<string, unknown>): Usage {
  const cached = countOf(usage, 'cache_read_input_tokens')
  // What is read from the cache, and written to it, is counted beside the input.
  const inputTokens = countOf(usage, 'input_tokens') + countOf(usage, 'cache_creation_input_tokens') + cached
  const outputTokens = countOf(usage, 'output_tokens')
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: cached,
    reasoningTokens: 0,
    totalTokens: inputTokens + outputTokens,
  }
}

import type { LanguageModelV3Content, LanguageModelV3GenerateResult, SharedV3Warning } from '@ai-sdk/provider'
import { HubError } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { guessTokens } from '../../turn/usage.ts'
import type { SamplingParams } from './to-sampling-params.ts'

export interface SamplingResultOptions {
  readonly params: SamplingParams
  readonly warnings: SharedV3Warning[]
}

/** What a client answered to `sampling/createMessage`; it does not say what it used, so that is estimated. */
export function readSamplingResult(
  result: unknown,
  { params, warnings }: SamplingResultOptions,
): LanguageModelV3GenerateResult {
  if (!isObject(result)) throw unreadable('it is no object')
  const blocks = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [result['content']]
  const content = blocks.flatMap(toContent)
  const stopReason = typeof result['stopReason'] === 'string' ? result['stopReason'] : undefined
  const input = guessTokens(JSON.stringify(params))
  const output = guessTokens(JSON.stringify(blocks))
  return {
    content,
    finishReason: { unified: toFinish(stopReason, content), raw: stopReason ?? 'endTurn' },
    usage: {
      inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: undefined, reasoning: undefined },
      raw: { isEstimated: true },
    },
    ...(typeof result['model'] === 'string' && { response: { modelId: result['model'] } }),
    warnings,
  }
}

function toContent(block: unknown): LanguageModelV3Content[] {
  if (!isObject(block)) throw unreadable('its content is no block')
  switch (block['type']) {
    case 'text':
      if (typeof block['text'] !== 'string') throw unreadable('a text is none')
      return [{ type: 'text', text: block['text'] }]
    case 'tool_use': {
      const { id, name, input } = block
      if (typeof id !== 'string' || typeof name !== 'string') throw unreadable('a tool_use has no id or no name')
      return [{ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(input ?? {}) }]
    }
    default:
      // Pictures and sounds are no answer that a loop could work with.
      return []
  }
}

function toFinish(stopReason: string | undefined, content: readonly LanguageModelV3Content[]) {
  if (content.some(({ type }) => type === 'tool-call')) return 'tool-calls'
  return stopReason === 'maxTokens' ? 'length' : 'stop'
}

function unreadable(why: string): HubError {
  return new HubError('PROVIDER_FAILED', `The client answered sampling with no message: ${why}. Try another client.`)
}

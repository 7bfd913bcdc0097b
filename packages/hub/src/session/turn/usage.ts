import type { LanguageModelV3Usage } from '@ai-sdk/provider'
import type { Pricing, Usage } from './types.ts'

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    ...((one.isEstimated === true || other.isEstimated === true) && { isEstimated: true }),
  }
}

/** What a step used; where the provider does not say, limits still need a number. */
export function toUsage(reported: LanguageModelV3Usage, texts: { input: () => string; output: string }): Usage {
  const input = reported.inputTokens.total
  const output = reported.outputTokens.total
  const inputTokens = input ?? guessTokens(texts.input())
  const outputTokens = output ?? guessTokens(texts.output)
  const isEstimated = input === undefined || output === undefined || reported.raw?.['isEstimated'] === true
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: reported.inputTokens.cacheRead ?? 0,
    reasoningTokens: reported.outputTokens.reasoning ?? 0,
    totalTokens: inputTokens + outputTokens,
    ...(isEstimated && { isEstimated: true }),
  }
}

/** Four characters make about one token in the languages that models were trained with most. */
export function guessTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

export function costOf(usage: Usage, pricing: Pricing | null): number | null {
  if (pricing === null) return null
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = pricing
  const fresh = usage.inputTokens - usage.cachedInputTokens
  const perMillion =
    fresh * inputPerMillion + usage.cachedInputTokens * cachedInputPerMillion + usage.outputTokens * outputPerMillion
  return perMillion / 1_000_000
}

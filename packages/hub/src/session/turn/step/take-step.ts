import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { toProviderError, type ProviderError } from './provider-error.ts'
import { readStep, type TurnStep } from './read-step.ts'
import type { TurnEvent } from '../types.ts'

const maxRetries = 2
const usualDelayMs = 500
/** Who wants us to wait longer is told to the caller, who may have somebody else to ask. */
const maxDelayMs = 20_000

export interface StepOptions {
  readonly request: LanguageModelV3CallOptions & { readonly abortSignal: AbortSignal }
  readonly warned: Set<string>
  readonly retryDelayMs: number | undefined
  onEvent(event: TurnEvent): void
}

/**
 * Asks the model until it answers. It is asked again only as long as nothing of its answer came: no text was shown and
 * no tool was run, so nobody can tell the difference.
 */
export async function takeStep(model: LanguageModelV3, options: StepOptions): Promise<TurnStep> {
  const { request, warned, retryDelayMs = usualDelayMs, onEvent } = options
  for (let attempt = 0; ; attempt++) {
    let hasOutput = false
    const listener = {
      onOutput: () => {
        hasOutput = true
      },
      onText: (text: string) => onEvent({ type: 'text-delta', text }),
      onReasoning: (text: string) => onEvent({ type: 'reasoning-delta', text }),
      onWarning: (text: string) => {
        if (warned.has(text)) return
        warned.add(text)
        onEvent({ type: 'warning', text })
      },
    }
    try {
      return await readStep(model, request, listener)
    } catch (error) {
      if (request.abortSignal.aborted) throw error
      const failure = toProviderError(error, { name: model.provider })
      const delayMs = hasOutput ? null : retryDelay(failure, attempt, retryDelayMs)
      if (delayMs === null) throw failure
      onEvent({ type: 'retry', because: failure.message, delayMs })
      await sleep(delayMs, undefined, { signal: request.abortSignal })
    }
  }
}

/** Null when it is no use, or too late. */
function retryDelay(
  { isRetryable, retryAfterMs }: ProviderError,
  attempt: number,
  firstDelayMs: number,
): number | null {
  if (!isRetryable || attempt >= maxRetries) return null
  if (retryAfterMs !== null) return retryAfterMs > maxDelayMs ? null : retryAfterMs
  // Spread out, so that those who failed together do not come back together.
  return Math.round(firstDelayMs * 2 ** attempt * (0.75 + Math.random() / 2))
}

import type { LanguageModelV3 } from '@ai-sdk/provider'
import { HubError } from '@herma/contract'
import { callStep } from './call-step.ts'
import { readStructured } from './read-structured.ts'
import { runTools, type WantedCall } from './run-tools.ts'
import { ToolNames } from './tool-names.ts'
import { startTurnClock, type TurnClock } from './turn-clock.ts'
import { TurnError } from './turn-error.ts'
import type { AssistantPart, ToolResultPart, Turn, TurnFinish, TurnMessage, TurnResult, Usage } from './types.ts'
import { addUsage, costOf, noUsage } from './usage.ts'

/** What a turn has done so far. */
export interface TurnState {
  readonly names: ToolNames
  readonly signal: AbortSignal
  readonly warned: Set<string>
  readonly messages: TurnMessage[]
  readonly callIds: Set<string>
  usage: Usage
  steps: number
  toolCalls: number
  hadEffect: boolean
  text: string
  /** What is waited for, for what is said when the time is up. */
  phase: 'model' | 'tools'
  /** Characters of answers and results so far: what a provider says of its tokens need not be true. */
  length: number
  /** The model was told once that its answer does not follow the schema. */
  hasCorrected: boolean
}

/**
 * Runs a turn: the model is asked, its calls are run, and it is asked again, until it is done or a limit is reached.
 * Rejects with a TurnError. When it settles, nothing of the turn goes on: no request, no tool.
 */
export async function runTurn(model: LanguageModelV3, turn: Turn): Promise<TurnResult> {
  if (turn.limits.maxCostUsd !== null && turn.pricing === null) throw unpriced(model.modelId)
  const clock = startTurnClock(turn.signal, turn.limits.timeoutMs)
  const state: TurnState = {
    names: new ToolNames(turn.tools.map(({ name }) => name)),
    signal: clock.signal,
    warned: new Set(),
    messages: [],
    callIds: new Set(),
    usage: noUsage,
    steps: 0,
    toolCalls: 0,
    hadEffect: false,
    text: '',
    phase: 'model',
    length: 0,
    hasCorrected: false,
  }
  try {
    for (;;) {
      const result = await goOn(model, turn, state)
      if (result !== null) return result
    }
  } catch (error) {
    throw toTurnError(error, { turn, state, clock })
  } finally {
    clock.stop()
  }
}

/** One step and its tools; null when the model is to be asked again. */
async function goOn(model: LanguageModelV3, turn: Turn, state: TurnState): Promise<TurnResult | null> {
  state.phase = 'model'
  const { parts, calls, text, usage, finishReason } = await callStep(model, turn, state)
  state.steps++
  state.usage = addUsage(state.usage, usage)
  if (text !== '') state.text = text
  state.length += lengthOf(parts)
  turn.onEvent({ type: 'step-finished', usage })
  if (parts.length > 0) state.messages.push({ role: 'assistant', parts })
  if (calls.length > 0) return useTools(calls, turn, state)
  if (finishReason === 'length') return finish('length', turn, state)
  if (finishReason === 'content-filter') return finish('refused', turn, state)
  return turn.responseSchema === undefined ? finish('stop', turn, state) : checkAnswer(parts, turn, state)
}

async function useTools(calls: readonly WantedCall[], turn: Turn, state: TurnState): Promise<TurnResult | null> {
  const isClients = ({ name }: WantedCall) => turn.tools.some((tool) => tool.name === name && tool.run === undefined)
  const clientCalls = calls.filter((call) => isClients(call) && call.problem === null)
  const own = calls.filter((call) => !clientCalls.includes(call))
  // Who has no step left to read results must not have effects either.
  const limit = clientCalls.length === 0 ? reachedLimit(turn, state) : null
  if (limit !== null) {
    state.messages.push({ role: 'tool', parts: own.map((call) => notRun(call, limit)) })
    return finish(limit, turn, state)
  }
  state.phase = 'tools'
  state.toolCalls += own.length
  const onEffect = () => {
    state.hadEffect = true
  }
  const results = await runTools(own, { turn, signal: state.signal, onEffect })
  state.length += lengthOf(results)
  if (results.length > 0) state.messages.push({ role: 'tool', parts: results })
  if (clientCalls.length === 0) return null
  const toRun = clientCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }))
  for (const call of toRun) turn.onEvent({ type: 'tool-call', ...call })
  return { ...finish('client-tools', turn, state), clientCalls: toRun }
}

/** Holds the answer against the schema that was asked for; a model that missed it is told so once. */
function checkAnswer(parts: readonly AssistantPart[], turn: Turn, state: TurnState): TurnResult | null {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const answer = readStructured(text, turn.responseSchema!)
  if ('value' in answer) return { ...finish('stop', turn, state), structured: answer.value }
  if (state.hasCorrected || reachedLimit(turn, state) !== null) return finish('stop', turn, state)
  state.hasCorrected = true
  const wish = `Your answer does not follow the schema: ${answer.problem}. Answer again with nothing but the JSON.`
  state.messages.push({ role: 'user', parts: [{ type: 'text', text: wish }] })
  return null
}

/** No model reads as much. */
const maxLength = 64 * 1024 * 1024

function lengthOf(parts: readonly (AssistantPart | ToolResultPart)[]): number {
  // Arguments came as text of an answer, whose length is bounded.
  return parts.reduce(
    (sum, part) => sum + ('text' in part ? part.text.length : JSON.stringify(part.arguments).length),
    0,
  )
}

function reachedLimit({ limits, pricing }: Turn, state: TurnState): 'steps' | 'tokens' | 'cost' | null {
  const { steps, usage } = state
  if (steps >= limits.maxSteps) return 'steps'
  if (usage.totalTokens >= limits.maxTokens || state.length >= maxLength) return 'tokens'
  const cost = costOf(usage, pricing)
  return limits.maxCostUsd !== null && cost !== null && cost >= limits.maxCostUsd ? 'cost' : null
}

/** Providers want a result for every call, also in a thread that goes on another day. */
function notRun({ id, name }: WantedCall, limit: string): ToolResultPart {
  const text = `Not run: the turn had reached its limit of ${limit}.`
  return { type: 'tool-result', id, name, text, isError: true }
}

function finish(how: TurnFinish, { pricing }: Turn, state: TurnState): TurnResult {
  const { text, messages, usage, steps, toolCalls, hadEffect } = state
  const costUsd = costOf(usage, pricing)
  return { text, messages, usage, costUsd, steps, toolCalls, finish: how, clientCalls: [], hadEffect }
}

function unpriced(modelId: string): TurnError {
  const text = `The cost of '${modelId}' cannot be limited, since nobody said its price. Set its prices, or no limit.`
  return new TurnError('INVALID_PARAMS', text, { hadEffect: false, usage: noUsage, costUsd: null })
}

interface Failure {
  readonly turn: Turn
  readonly state: TurnState
  readonly clock: TurnClock
}

function toTurnError(error: unknown, { turn, state, clock }: Failure): TurnError {
  const { hadEffect, usage } = state
  const known = { hadEffect, usage, costUsd: costOf(usage, turn.pricing), cause: error }
  if (clock.isTimeUp) {
    const [code, whom] =
      state.phase === 'model' ? (['PROVIDER_TIMEOUT', 'the model'] as const) : (['LIMIT_REACHED', 'tools'] as const)
    const time = `${turn.limits.timeoutMs / 1000} s`
    return new TurnError(code, `The turn took longer than ${time}, waiting for ${whom}. Raise its time limit.`, known)
  }
  if (turn.signal.aborted) return new TurnError('CANCELLED', 'The turn was cancelled.', known)
  if (error instanceof HubError) return new TurnError(error.code, error.message, { ...known, data: error.data })
  return new TurnError('INTERNAL', `The turn failed: ${(error as Error).message}`, known)
}

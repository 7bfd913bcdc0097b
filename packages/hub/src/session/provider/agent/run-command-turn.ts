import { stat } from 'node:fs/promises'
import { HubError, type ErrorCode } from '@herma/contract'
import { startTurnClock, type TurnClock } from '../../turn/turn-clock.ts'
import { TurnError } from '../../turn/turn-error.ts'
import type { Pricing, TurnEvent, TurnFinish, TurnLimits, TurnResult } from '../../turn/types.ts'
import { costOf, guessTokens, noUsage } from '../../turn/usage.ts'
import { agentEnvironment, runAgentProcess, type AgentOutcome, type AgentEnvironment } from './agent-process.ts'
import { createAgentReader } from './agent-reader.ts'
import { AgentTalk } from './agent-talk.ts'
import { toCommandLine, type CommandLine, type CommandLineOptions } from './command-line.ts'

/** A turn of a local agent CLI, which has a loop and tools of its own. */
export interface CommandTurn extends CommandLineOptions {
  /** Secrets already replaced; it gets no variables but these and the usual ones. */
  readonly env: Readonly<Record<string, string>>
  readonly instructions: string
  readonly limits: TurnLimits
  readonly pricing: Pricing | null
  readonly signal: AbortSignal
  /** Must neither throw nor wait. */
  onEvent(event: TurnEvent): void
}

/** More than any agent tells; what prints on beyond it is broken. */
const maxOutputBytes = 256 * 1024 * 1024

/**
 * Lets an agent work in a folder, and resolves when nothing of it is left. Rejects with a TurnError. Whatever it did,
 * it may have changed something, so a turn that began counts as one that had an effect.
 */
export async function runCommandTurn(turn: CommandTurn, outside: AgentEnvironment): Promise<TurnResult> {
  const line = await prepare(turn)
  const clock = startTurnClock(turn.signal, turn.limits.timeoutMs)
  const stop = new AbortController()
  const talk = new AgentTalk((event) => turn.onEvent(event))
  const reader = createAgentReader(turn.dialect, talk)
  let limit: TurnFinish | null = null
  let size = 0
  const onOutput = (chunk: Buffer) => {
    if (limit !== null || (size += chunk.length) > maxOutputBytes) return stop.abort()
    reader.push(chunk)
    limit = reachedLimit(turn, talk)
    if (limit !== null) stop.abort()
  }
  try {
    const signal = AbortSignal.any([clock.signal, stop.signal])
    const env = agentEnvironment(turn.env)
    const outcome = await runAgentProcess({ ...line, cwd: turn.cwd, env, signal, onOutput }, outside)
    if (size <= maxOutputBytes) reader.end()
    const failure = findFailure(outcome, { turn, talk, clock, isFlood: size > maxOutputBytes })
    if (failure !== null && limit === null) throw failure
    return toResult(turn, talk, limit ?? talk.limit ?? 'stop')
  } finally {
    clock.stop()
  }
}

/** What can be wrong before anything ran. */
async function prepare(turn: CommandTurn): Promise<CommandLine> {
  try {
    await checkFolder(turn.cwd)
    const prompt = turn.instructions === '' ? turn.prompt : `${turn.instructions}\n\n${turn.prompt}`
    return toCommandLine({ ...turn, prompt })
  } catch (error) {
    const { code, message } = error as HubError
    throw new TurnError(code, message, { hadEffect: false, usage: noUsage, costUsd: null, cause: error })
  }
}

async function checkFolder(cwd: string): Promise<void> {
  // Whatever keeps us from looking keeps the agent out as well.
  const found = await stat(cwd).catch(() => null)
  if (found?.isDirectory() === true) return
  const text = `The agent cannot work in ${cwd}: there is no such folder. Create it, or name another one.`
  throw new HubError('INVALID_PARAMS', text)
}

/** A step that is over the limit is not waited for: agents do not ask before they go on. */
function reachedLimit({ limits, pricing }: CommandTurn, talk: AgentTalk): TurnFinish | null {
  if (talk.isDone) return null
  if (talk.steps > limits.maxSteps) return 'steps'
  if (talk.usage.totalTokens > limits.maxTokens) return 'tokens'
  const cost = talk.costUsd ?? costOf(talk.usage, pricing)
  return limits.maxCostUsd !== null && cost !== null && cost > limits.maxCostUsd ? 'cost' : null
}

function toResult(turn: CommandTurn, talk: AgentTalk, finish: TurnFinish): TurnResult {
  const { text, threadId } = talk
  // One that prints text does not say what it used.
  const usage = talk.usage.totalTokens > 0 ? talk.usage : estimate(turn.prompt, text)
  turn.onEvent({ type: 'step-finished', usage })
  return {
    text,
    messages: [{ role: 'assistant', parts: [{ type: 'text', text }] }],
    usage,
    costUsd: talk.costUsd ?? costOf(usage, turn.pricing),
    steps: Math.max(1, talk.steps),
    toolCalls: talk.toolCalls,
    finish,
    clientCalls: [],
    hadEffect: true,
    ...(threadId !== undefined && { commandThreadId: threadId }),
  }
}

function estimate(prompt: string, text: string) {
  const [inputTokens, outputTokens] = [guessTokens(prompt), guessTokens(text)]
  return { ...noUsage, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, isEstimated: true as const }
}

interface Context {
  readonly turn: CommandTurn
  readonly talk: AgentTalk
  readonly clock: TurnClock
  readonly isFlood: boolean
}

function findFailure({ end, stderr }: AgentOutcome, { turn, talk, clock, isFlood }: Context): TurnError | null {
  const hadEffect = end.how !== 'not-started'
  const costUsd = talk.costUsd ?? costOf(talk.usage, turn.pricing)
  const failed = (code: ErrorCode, message: string) =>
    new TurnError(code, message, { hadEffect, usage: talk.usage, costUsd })
  const name = `The agent '${turn.command ?? turn.dialect}'`
  if (clock.isTimeUp) {
    const time = `${turn.limits.timeoutMs / 1000} s`
    return failed('PROVIDER_TIMEOUT', `${name} worked longer than ${time} and was stopped. Raise the time limit.`)
  }
  if (turn.signal.aborted) return failed('CANCELLED', 'The turn was cancelled, and the agent was stopped.')
  if (isFlood) return failed('PROVIDER_FAILED', `${name} printed more than ${maxOutputBytes} bytes and was stopped.`)
  if (end.how === 'not-started') return failed('PROVIDER_FAILED', `${name} did not start: ${startProblem(end.error)}`)
  const hasEnded = turn.dialect === 'text' ? end.how === 'exited' && end.code === 0 : talk.isDone
  if (hasEnded) return null
  const how =
    end.how === 'exited'
      ? `exited with code ${end.code}`
      : end.how === 'killed'
        ? `died of ${end.signal}`
        : 'was stopped'
  const said = mask(talk.failure?.message ?? stderr, turn.env)
  return failed(codeOf(talk.failure?.status), `${name} ${how} before it was done: ${said || 'it did not say why.'}`)
}

function codeOf(status: number | undefined): ErrorCode {
  if (status === 401 || status === 403) return 'PROVIDER_UNAUTHORIZED'
  return status === 429 || status === 503 || status === 529 ? 'PROVIDER_OVERLOADED' : 'PROVIDER_FAILED'
}

function startProblem({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such program. Install it, or name it with its whole path.'
  if (code === 'EACCES') return 'it may not be executed. Run chmod +x on it.'
  if (code === 'E2BIG')
    return 'its arguments are too large. Leave {prompt} out of them, and it comes on standard input.'
  return message
}

const maxSaidLength = 500
const shortestSecret = 8

/** The end of what was said, without the values that only the agent was to know. */
function mask(text: string, env: Readonly<Record<string, string>>): string {
  const masked = Object.values(env).reduce(
    (rest, value) => (value.length < shortestSecret ? rest : rest.replaceAll(value, '[masked]')),
    text,
  )
  return masked.trim().replaceAll(/\s+/g, ' ').slice(-maxSaidLength)
}

import { abortable } from './abortable.ts'
import { findArgumentProblem } from './find-argument-problem.ts'
import type { ContentBlock } from '../../wire/index.ts'
import type { AgentTool, ImagePart, ToolCall, ToolOutcome, ToolResultPart, Turn } from './types.ts'

/** A call as the model made it; `problem` says why its arguments cannot be read. */
export interface WantedCall extends ToolCall {
  readonly problem: string | null
}

export interface ToolsOptions {
  readonly turn: Pick<Turn, 'tools' | 'approve' | 'onEvent' | 'limits'>
  readonly signal: AbortSignal
  /** A tool with an effect is about to run. */
  onEffect(): void
}

/** What the model reads of one result; more would only fill its memory. */
const maxResultLength = 200_000
const maxImages = 20
/** Calls of one step; a model that wants more is told so, and may go on in the next one. */
const maxCalls = 128
/** What the model reads of one step. */
const maxStepLength = 4 * 1024 * 1024

/**
 * Runs the calls of one step, several at once, and resolves when all have ended, with results in the order of the
 * calls. What goes wrong in a tool is told to the model. After an abort no tool is started, and those that run are
 * waited for.
 */
export async function runTools(calls: readonly WantedCall[], options: ToolsOptions): Promise<ToolResultPart[]> {
  const results: ToolResultPart[] = calls.map(tooMany)
  const count = Math.min(calls.length, maxCalls)
  let next = 0
  let room = maxStepLength
  const work = async () => {
    for (let index = next++; index < count && !options.signal.aborted; index = next++) {
      const result = await runOne(calls[index]!, options)
      room -= result.text.length
      results[index] = room < 0 ? { ...result, text: noRoom } : result
    }
  }
  const workers = Math.min(count, options.turn.limits.maxParallelTools)
  await Promise.all(Array.from({ length: workers }, work))
  options.signal.throwIfAborted()
  return results
}

const noRoom = 'It ran, but what it gave is left out: the results of this step are too long. Ask for less at once.'

/** Providers want a result for every call. */
function tooMany({ id, name }: ToolCall): ToolResultPart {
  const text = `Not run: more than ${maxCalls} calls in one answer. Call it again with fewer.`
  return { type: 'tool-result', id, name, text, isError: true }
}

async function runOne(call: WantedCall, options: ToolsOptions): Promise<ToolResultPart> {
  const { id, name, arguments: args } = call
  const { onEvent } = options.turn
  onEvent({ type: 'tool-call', id, name, arguments: args })
  const startedAt = performance.now()
  const outcome = await findOutcome(call, options)
  const text = cutText(textOf(outcome))
  const isError = outcome.isError === true
  const ms = Math.round(performance.now() - startedAt)
  onEvent({ type: 'tool-result', id, name, isError, ms, text })
  const images = (outcome.content ?? []).flatMap(toImage).slice(0, maxImages)
  return { type: 'tool-result', id, name, text, isError, ms, ...(images.length > 0 && { images }) }
}

async function findOutcome(call: WantedCall, { turn, signal, onEffect }: ToolsOptions): Promise<ToolOutcome> {
  const tool = turn.tools.find(({ name }) => name === call.name)
  const problem = tool === undefined ? unknownTool(call, turn.tools) : (call.problem ?? findArgumentProblem(tool, call))
  if (problem !== null || tool?.run === undefined) return failed(problem ?? `'${call.name}' is run by the client.`)
  try {
    const refusal = tool.needsApproval === true ? await askApproval(call, turn, signal) : null
    if (refusal !== null) return failed(refusal)
    // The client may have left while somebody thought about it.
    signal.throwIfAborted()
    if (!tool.isReadOnly) onEffect()
    return await tool.run(call.arguments, { signal, callId: call.id })
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

async function askApproval(
  { id, name, arguments: args }: ToolCall,
  turn: Pick<Turn, 'approve' | 'onEvent'>,
  signal: AbortSignal,
): Promise<string | null> {
  if (turn.approve === undefined) return `'${name}' needs an approval, and nobody can give one here. Do without it.`
  turn.onEvent({ type: 'approval-wanted', id, name, arguments: args })
  const decision = await abortable(turn.approve({ id, name, arguments: args }, signal), signal)
  return decision === 'once' ? null : `The user refused this call of '${name}'. Do not repeat it; ask or go on without.`
}

function unknownTool({ name }: ToolCall, tools: readonly AgentTool[]): string {
  const known = tools.slice(0, 50).map((tool) => `'${tool.name}'`)
  return `There is no tool '${name}'. ${known.length === 0 ? 'There are no tools.' : `There are: ${known.join(', ')}.`}`
}

function failed(text: string): ToolOutcome {
  return { text, isError: true }
}

function textOf({ text, structured }: ToolOutcome): string {
  return text === '' && structured !== undefined ? JSON.stringify(structured) : text
}

function cutText(text: string): string {
  if (text.length <= maxResultLength) return text
  return `${text.slice(0, maxResultLength)}\n(${text.length - maxResultLength} more characters are left out.)`
}

function toImage({ type, data, mimeType }: ContentBlock): ImagePart[] {
  if (type !== 'image' || typeof data !== 'string' || typeof mimeType !== 'string') return []
  return [{ type: 'image', data, mediaType: mimeType }]
}

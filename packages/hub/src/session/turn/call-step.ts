import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3FunctionTool,
  LanguageModelV3ToolCall,
} from '@ai-sdk/provider'
import { withSchema } from './read-structured.ts'
import type { WantedCall } from './run-tools.ts'
import type { TurnState } from './run-turn.ts'
import type { StepPart } from './step/step-parts.ts'
import { takeStep } from './step/take-step.ts'
import { providerKey, toPrompt } from './to-prompt.ts'
import type { AssistantPart, Turn, Usage } from './types.ts'
import { toUsage } from './usage.ts'

export interface StepAnswer {
  readonly parts: readonly AssistantPart[]
  readonly calls: readonly WantedCall[]
  readonly text: string
  readonly usage: Usage
  readonly finishReason: LanguageModelV3FinishReason['unified']
}

/** One question to the model, from our messages and back into them. */
export async function callStep(model: LanguageModelV3, turn: Turn, state: TurnState): Promise<StepAnswer> {
  const request = toRequest(model, turn, state)
  const step = await takeStep(model, {
    request,
    warned: state.warned,
    retryDelayMs: turn.retryDelayMs,
    onEvent: (event) => turn.onEvent(event),
  })
  const calls: WantedCall[] = []
  const parts = step.parts.flatMap((part) => {
    if (part.type !== 'tool-call') return toPart(part, model.provider)
    const call = toCall(part, state)
    calls.push(call)
    const { id, name, arguments: args } = call
    return [{ type: 'tool-call' as const, id, name, arguments: args, ...dataOf(part.providerMetadata) }]
  })
  const usage = toUsage(step.usage, {
    input: () => JSON.stringify([request.prompt, request.tools]),
    output: JSON.stringify(parts),
  })
  return { parts, calls, text: step.text, usage, finishReason: step.finishReason.unified }
}

function toRequest(model: LanguageModelV3, turn: Turn, state: TurnState) {
  const { names, signal, messages, usage } = state
  const instructions = withSchema(turn.instructions, turn.responseSchema)
  const prompt = toPrompt([...turn.messages, ...messages], { instructions, names, provider: model.provider })
  const request: LanguageModelV3CallOptions & { abortSignal: AbortSignal } = { prompt, abortSignal: signal }
  if (turn.tools.length > 0) {
    request.tools = turn.tools.map((tool) => toFunction(tool, names.toWire(tool.name)))
    const choice = state.steps === 0 ? (turn.toolChoice ?? 'auto') : 'auto'
    request.toolChoice =
      typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: names.toWire(choice.tool) }
  }
  // Several providers refuse JSON and tools at once; the instructions ask for it in any case.
  else if (turn.responseSchema !== undefined) {
    request.responseFormat = { type: 'json', schema: turn.responseSchema, name: 'answer' }
  }
  if (turn.temperature !== undefined) request.temperature = turn.temperature
  if (turn.topP !== undefined) request.topP = turn.topP
  if (turn.stopSequences !== undefined) request.stopSequences = [...turn.stopSequences]
  if (turn.maxOutputTokens !== undefined) {
    request.maxOutputTokens = Math.max(1, Math.min(turn.maxOutputTokens, turn.limits.maxTokens - usage.totalTokens))
  }
  return request
}

function toFunction(tool: Turn['tools'][number], name: string): LanguageModelV3FunctionTool {
  // Providers want an object, also where a server is sparing with words.
  const inputSchema = {
    type: 'object',
    properties: {},
    ...tool.inputSchema,
  } as LanguageModelV3FunctionTool['inputSchema']
  return { type: 'function', name, description: tool.description, inputSchema }
}

function toPart(part: Exclude<StepPart, LanguageModelV3ToolCall>, provider: string): AssistantPart[] {
  if (part.type === 'text')
    return part.text === '' ? [] : [{ type: 'text', text: part.text, ...dataOf(part.providerData) }]
  // Thoughts are given back to those who had them, so whose they are is written down even if nothing else is.
  return [{ type: 'reasoning', text: part.text, providerData: part.providerData ?? { [providerKey(provider)]: {} } }]
}

function dataOf(data: AssistantPart['providerData']) {
  return data === undefined ? {} : { providerData: data }
}

function toCall({ toolCallId, toolName, input }: LanguageModelV3ToolCall, { names, callIds }: TurnState): WantedCall {
  // Small local servers count calls from zero in every answer.
  const id = callIds.has(toolCallId) ? `${toolCallId}-${callIds.size}` : toolCallId
  callIds.add(id)
  const name = names.fromWire(toolName)
  const wrong = (problem: string) => ({ id, name, arguments: {}, problem: `The arguments of '${name}' ${problem}` })
  try {
    const args: unknown = input.trim() === '' ? {} : JSON.parse(input)
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) {
      return { id, name, arguments: args as Record<string, unknown>, problem: null }
    }
    return wrong('are no JSON object. Call it again.')
  } catch (error) {
    return wrong(`are no JSON (${(error as Error).message}). Call it again.`)
  }
}

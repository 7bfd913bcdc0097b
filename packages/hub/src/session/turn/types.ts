import type { Pricing, Usage as ReportedUsage } from '@herma/contract'
import type { ContentBlock } from '../../wire/index.ts'

export type { Pricing }

/** A turn is one run of a session's loop for one message: the model answers, uses tools, and answers again. */
export interface Turn {
  /** What was said so far; the last one is what the turn is about. */
  readonly messages: readonly TurnMessage[]
  readonly instructions: string
  readonly tools: readonly AgentTool[]
  readonly limits: TurnLimits
  readonly pricing: Pricing | null
  readonly signal: AbortSignal
  /** Must neither throw nor wait. */
  onEvent(event: TurnEvent): void
  /** Asks a person; without it, what needs an approval is refused. `signal` withdraws the question. */
  approve?(call: ToolCall, signal: AbortSignal): Promise<'once' | 'refused'>
  /** The answer is to be JSON of this JSON Schema. */
  readonly responseSchema?: JsonSchema | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  /** The first pause before a provider that failed is asked again; the next one is twice as long. */
  readonly retryDelayMs?: number | undefined
  /** For the first step; those after it are free. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string } | undefined
}

export type JsonSchema = Readonly<Record<string, unknown>>

export interface TurnLimits {
  /** How often the model may be asked. */
  readonly maxSteps: number
  /** Input and output of all steps. */
  readonly maxTokens: number
  readonly maxCostUsd: number | null
  readonly timeoutMs: number
  readonly maxParallelTools: number
}

export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** A tool that is not has an effect, and a turn that had one must not be repeated elsewhere. */
  readonly isReadOnly: boolean
  readonly needsApproval?: boolean | undefined
  /** Absent for a tool of the client: the turn ends with its calls. Must settle soon once its signal is aborted. */
  run?(args: Record<string, unknown>, context: ToolRunContext): Promise<ToolOutcome>
}

export interface ToolRunContext {
  readonly signal: AbortSignal
  readonly callId: string
}

export interface ToolOutcome {
  readonly text: string
  readonly structured?: unknown
  readonly content?: readonly ContentBlock[] | undefined
  readonly isError?: boolean | undefined
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Record<string, unknown>
}

export type TurnEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | ({ readonly type: 'tool-call' } & ToolCall)
  | ({ readonly type: 'approval-wanted' } & ToolCall)
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly name: string
      readonly isError: boolean
      readonly ms: number
      readonly text: string
    }
  | { readonly type: 'step-finished'; readonly usage: Usage }
  | { readonly type: 'retry'; readonly because: string; readonly delayMs: number }
  /** What the model cannot do that was asked of it; each is said once in a turn. */
  | { readonly type: 'warning'; readonly text: string }

/** Input with what came from a cache, output with what was thought. */
export type Usage = Readonly<ReportedUsage> & {
  /** Some of it was not reported, but estimated from the length of texts. */
  readonly isEstimated?: true
}

/** A message in a form of ours: stored as JSON, shown to people, and given back to providers. */
export type TurnMessage =
  | { readonly role: 'user'; readonly parts: readonly (TextPart | ImagePart)[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly parts: readonly ToolResultPart[] }

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart

/** What a provider wants to have back with a part, under its name; nobody else reads it. */
export type ProviderData = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly providerData?: ProviderData | undefined
}

export interface ImagePart {
  readonly type: 'image'
  /** Base64. */
  readonly data: string
  readonly mediaType: string
}

export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly providerData?: ProviderData | undefined
}

export interface ToolCallPart extends ToolCall {
  readonly type: 'tool-call'
  readonly providerData?: ProviderData | undefined
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly id: string
  readonly name: string
  readonly text: string
  readonly isError: boolean
  /** How long it took, for those who read the thread later. */
  readonly ms?: number | undefined
  readonly images?: readonly ImagePart[] | undefined
}

/**
 * Why a turn ended: the model was done, its answer got too long, tools of the client are to be run, a limit was
 * reached, or the provider withheld the answer.
 */
export type TurnFinish = 'stop' | 'length' | 'client-tools' | 'steps' | 'tokens' | 'cost' | 'refused'

export interface TurnResult {
  /** What the model said last. */
  readonly text: string
  /** The answer as a value, when a schema was given and the answer follows it. */
  readonly structured?: unknown
  /** The new ones, to be stored and given back with the next turn. */
  readonly messages: readonly TurnMessage[]
  readonly usage: Usage
  /** Null where nobody knows the price. */
  readonly costUsd: number | null
  readonly steps: number
  readonly toolCalls: number
  readonly finish: TurnFinish
  /** Calls of tools that the client has to run. */
  readonly clientCalls: readonly ToolCall[]
  /** A tool that is not read-only was run, so the work must not be repeated. */
  readonly hadEffect: boolean
  /** What a command calls its own thread, to resume it. */
  readonly commandThreadId?: string | undefined
}

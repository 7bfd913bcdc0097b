import type { AgentTool, JsonSchema, TurnMessage } from '../turn/types.ts'
import type { WorkRequest, WorkResult } from '../work/types.ts'

/** What a client of one of OpenAI's APIs asks for, in words of ours. */
export interface OpenAiRequest {
  readonly messages: readonly TurnMessage[]
  /** Of its system and developer messages. */
  readonly instructions: string
  readonly clientTools: readonly AgentTool[]
  readonly settings: NonNullable<WorkRequest['settings']>
  /** The answer is to be JSON of this schema. */
  readonly responseSchema: JsonSchema | undefined
  readonly isStream: boolean
}

/** One server-sent event. A text is sent as it is. */
export interface OpenAiFrame {
  readonly event?: string
  readonly data: object | string
}

/** An error as OpenAI's clients know it. */
export interface OpenAiError {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

/** A turn that is over, and all of the text that the client gets of it. */
export interface OpenAiAnswer {
  readonly text: string
  readonly result: Pick<WorkResult, 'finish' | 'usage' | 'clientCalls'>
}

/** An answer in the form of one API: whole, or as events. */
export interface AnswerForm {
  whole(answer: OpenAiAnswer): object
  /** Sent first, and once. */
  begin(): OpenAiFrame[]
  text(piece: string): OpenAiFrame[]
  end(answer: OpenAiAnswer): OpenAiFrame[]
  fail(problem: OpenAiError): OpenAiFrame[]
}

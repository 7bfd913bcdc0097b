import type { Principal } from '@herma/contract'
import type { Answer, Caller, Question } from './message/call.ts'
import type { CallPath } from './call-path.ts'

/** On whose behalf the hub itself works, and how they hear of it: what a session and a team know of a call. */
export interface WorkContext {
  readonly principal: Principal
  /** The client as servers are told of it. */
  readonly caller: Caller
  /** Whether the request truly comes from this machine. */
  readonly isLocal: boolean
  readonly signal: AbortSignal
  readonly traceId: string
  /** The span that what is done here belongs to. */
  readonly spanId: string
  /** How the request came here. */
  readonly path: CallPath
  /** Asks the client: sampling, elicitation, roots. Null where there is nobody who could be asked. */
  readonly ask: ((question: Question, withdrawn: AbortSignal) => Promise<Answer>) | null
  /** Tells the client how far it is, if it wants to know. */
  progress(done: number, total: number | undefined, message: string): void
  /** Passes on a piece of the text that is being written. */
  partial(text: string): void
}

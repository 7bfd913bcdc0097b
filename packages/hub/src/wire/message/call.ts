import type { HubError } from '@herma/contract'
import type { Meta } from '@herma/framework/wire'
import type { NotificationMessage, Params, RequestId, RequestMessage, ResponseMessage, RpcError } from './message.ts'
import type { ParamHeader } from '@herma/framework/wire'
import type { Era } from '../revision.ts'

/** Who is asking, as far as a downstream has to know. */
export interface Caller {
  /** Id of the principal behind the client, for what must not pass from one person to another. */
  readonly principal: string
  /** The served server that the client talks to. */
  readonly server: string
  readonly era: Era
  readonly revision: string
  readonly clientInfo: unknown
  readonly capabilities: Record<string, unknown>
  /** The connection of a legacy client; modern requests stand alone. */
  readonly connectionId: string | null
  /** The lowest level of log messages that the client wants, when it said so. */
  readonly logLevel: string | null
}

/** A question that a server asks while it works: sampling, elicitation or roots. */
export interface Question {
  readonly method: string
  readonly params: Params | undefined
  /** The wire did not say which call of the client it belongs to, so it outlives the one that it is asked with. */
  readonly isStray?: boolean
}

/**
 * One request on its way to a downstream, whatever the era of its client. Both eras meet here, and nothing above this
 * interface knows which one it serves. Exactly one of `respond`, `fail` and `failWith` ends a call; a client that is
 * gone makes them do nothing.
 */
export interface Call {
  readonly method: string
  /** The request as the client wrote it; null for one of the hub's own making. */
  readonly message: RequestMessage | null
  /** What is asked now. Never changed in place, always by a copy: the message remembers what it was read from. */
  params: Params | undefined
  readonly caller: Caller
  /** Parameters that a modern downstream over HTTP wants mirrored into headers. */
  paramHeaders: readonly ParamHeader[] | null
  /** The Mcp-Name header of a modern client, for methods of extensions that name things their own way. */
  readonly nameHeader: string | null
  /** The trace that the server shall join, where somebody puts traces together. */
  readonly traceparent?: string | null
  /** The hubs that passed it on to this one, where it came over one. */
  readonly via?: string | undefined
  readonly isDone: boolean
  /** What a call that is sent again has told of its progress before; a client must not hear it twice. */
  progressFloor?: number
  /** The client was sent to a page and has agreed to open it: this is its next attempt. */
  isAgain?: boolean
  /** Whoever runs the call now; told when the client gives up. */
  runner: CallRunner | null
  /** Called once when the call is over, in whatever way. */
  onDone: ((outcome: Outcome) => void) | null

  /** Passes a serialised response on; `id` is the one that the downstream answered. */
  respond(bytes: Buffer, id: number, from: Era): void
  /** Begins to pass on a response of known length whose first chunk this is; false when it must come whole. */
  beginRespond(chunk: Buffer, id: number, from: Era, length: number): boolean
  /** False asks the sender to wait until `onDrain`. */
  continueRespond(chunk: Buffer, onDrain: () => void): boolean
  endRespond(error?: Error): void
  fail(error: HubError): void
  /** Passes on an error of a server; `from` is the era that its code belongs to. */
  failWith(error: RpcError, from: Era): void

  /** Passes a notification about this call on; false asks the sender to slow down. */
  notify(message: NotificationMessage): boolean
  /** The server closed its stream to answer later, and wants to be asked again after this time: so may the client be. */
  pause?(retryMs: number): void
  /** Asks the client. Its answer may take as long as a person takes; `signal` withdraws the question. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>
}

export type Answer = Pick<ResponseMessage, 'result' | 'error'>

/** Runs a call and can be told to stop. */
export interface CallRunner {
  /** Name of the connector, for what a client is told. */
  readonly connector: string
  readonly connectorId: string
  cancel(reason: string): void
  /** The server did not know what it was asked for, so it may offer something else by now. */
  doubt?(): void
}

export type Outcome = 'answered' | 'failed' | 'cancelled'

export function progressTokenOf(meta: Meta | undefined): RequestId | undefined {
  const token = meta?.['progressToken']
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}

import type { Revision } from '../revision.ts'
import type { Json, Question, WireMessage } from '../wire-message.ts'
import type { ClientTransportKind } from './client-transport.ts'
import type { Inbox } from './inbox.ts'

export type Answerer = (question: Question) => Json | Promise<Json>

export interface RequestOptions {
  readonly progressToken?: string | number
  readonly meta?: Json
  /** Cancels the request in the way of the client's revision and transport. */
  readonly signal?: AbortSignal
  /** Headers that mirror parameters, for the transport that has headers. */
  readonly headers?: Record<string, string>
}

/** What a client wants to hear of. Clients of the legacy era hear of list changes without asking. */
export interface Interest {
  readonly lists?: boolean
  readonly uris?: readonly string[]
}

/** A client of one revision over one transport. The features are written against this. */
export interface MatrixClient {
  /** Its answers carry it, so that an answer of somebody else is found out. */
  readonly name: string
  readonly revision: Revision
  readonly transport: ClientTransportKind
  readonly inbox: Inbox
  /** Everything that was asked of this client. */
  readonly questions: readonly Question[]
  /** What the server said of itself. */
  readonly capabilities: Json
  answerWith(answerer: Answerer): void
  /** Forgets what was heard and asked so far. */
  forget(): void
  /** Answers what the server asks meanwhile, and resolves with the final result. */
  request(method: string, params?: Json, options?: RequestOptions): Promise<Json>
  setLogLevel(level: string): Promise<void>
  /** Returns what ends it. */
  watch(interest: Interest): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** A client of which every byte is ours, for what the SDKs do not let through. */
export interface RawClient extends MatrixClient {
  /** Sends an array and resolves with the array that answers it. */
  sendBatch(messages: readonly WireMessage[]): Promise<readonly WireMessage[]>
  /** One round of a request: `input_required` comes back as it is. */
  requestOnce(method: string, params?: Json, options?: RequestOptions): Promise<Json>
}

import type {
  JSONValue,
  CallToolResult,
  CreateMessageRequestParams,
  CreateMessageResult,
  Implementation,
  LoggingLevel,
  RequestId,
  Root,
} from '@modelcontextprotocol/server'
import type { Principal } from '../auth/auth.ts'
import type { Connection, Notifier } from '../connection/connection.ts'
import type { Era, Version } from '../protocol/version.ts'
import type { Schema, Parsed } from '../schema/schema.ts'
import type { Span } from '../telemetry/span.ts'

/** What a person or a client said to a question. */
export type Answer<Value> =
  | { readonly action: 'accept'; readonly value: Value }
  | { readonly action: 'decline' | 'cancel' }

/** State that outlives one request: of the connection, or of whatever `state.by` names. */
export interface State<S> {
  get(): Promise<S>
  set(state: S): Promise<void>
  /** Compare-and-swap: `change` runs again when somebody else was faster, so it must have no effects. */
  update(change: (state: S) => S | Promise<S>): Promise<S>
  clear(): Promise<void>
}

/** Sends log messages to the client; those below the level that it asked for are dropped. */
export type Log = Readonly<Record<LoggingLevel, (message: string, data?: unknown) => void>>

/** The HTTP request behind a request of the protocol. */
export interface HttpInfo {
  readonly url: URL
  readonly remoteAddress: string | undefined
  header(name: string): string | undefined
  /**
   * Ends the stream that waits for the answer, so that no connection is held while it takes long: a legacy client that
   * can resume comes back for it. Undefined where that is not possible.
   */
  closeStream?(): void
}

/** The questions that a server may ask while it works, in both eras from the same handler. */
export interface Questions {
  /**
   * Asks the person for a form. Towards modern clients the handler ends here and runs again from its start with the
   * answer: what it did before must be repeatable, or inside `once`. `key` names the question within the handler.
   */
  elicit<S extends Schema>(
    key: string,
    ask: { readonly message: string; readonly schema: S },
  ): Promise<Answer<Parsed<S>>>
  /** Sends the person to a URL, for what must not pass through the client. */
  elicitUrl(key: string, ask: { readonly message: string; readonly url: string }): Promise<Answer<undefined>>
  /** Asks the client's model. */
  sample(key: string, params: CreateMessageRequestParams): Promise<CreateMessageResult>
  roots(): Promise<readonly Root[]>
  /** Runs an effect that must not repeat when the handler is run again; the result travels sealed with the client. */
  once<Value extends JSONValue | void>(key: string, effect: () => Value | Promise<Value>): Promise<Value>
}

/** Everything that a handler knows about the request that it serves, and what it can do besides returning. */
export interface Context<S = unknown> extends Questions {
  readonly requestId: RequestId
  readonly method: string
  readonly era: Era
  readonly version: Version
  /** Fires when the client cancels, its connection ends, or the time is up. */
  readonly signal: AbortSignal
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly client: {
    readonly info?: Implementation
    /** For example `can('sampling')` or `can('elicitation.url')`. */
    can(capability: string): boolean
  }
  readonly connection: Connection
  readonly state: State<S>
  /** For middleware to leave things to handlers; lives as long as the request. */
  readonly locals: Record<PropertyKey, unknown>
  readonly principal: Principal | undefined
  readonly http: HttpInfo | undefined
  readonly log: Log
  readonly span: Span
  readonly notify: Notifier
  hasScope(...scopes: string[]): boolean
  progress(done: number, total?: number, message?: string): void
  /** Calls another tool of this server, through its middleware, as the same principal. */
  call(tool: string, args?: Record<string, unknown>): Promise<CallToolResult>
}

/** What `context.state` holds, and whose it is. */
export interface StateOptions<S> {
  init(context: Context<S>): S | Promise<S>
  /**
   * Whose state it is: of the connection (legacy clients; a modern request has a state of its own), of the principal, or
   * of a key of yours. Without authentication all clients are one principal.
   */
  readonly by?: 'connection' | 'principal' | ((context: Context<S>) => string | undefined)
  /** How long it is kept after the last change; an hour unless said otherwise. */
  readonly ttlMs?: number
  /** Checks what comes back from the store. */
  readonly schema?: Schema
  dump?(state: S): JSONValue
  load?(stored: JSONValue): S
}

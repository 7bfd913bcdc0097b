import type {
  CallToolResult,
  Client,
  ContentBlock,
  GetPromptResult,
  LoggingLevel,
  ReadResourceResult,
  Result,
} from '@modelcontextprotocol/client'
import type { Kind, Tools } from '../component/define.ts'
import type { Era, Version } from '../protocol/version.ts'

/** How a call is made. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

/** What a tool answered. */
export interface Called<Value> {
  /** The structured result, as the output schema types it; undefined for a tool without one, and after an error. */
  readonly value: Value
  /** The texts of the content, a line each. */
  readonly text: string
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  readonly raw: CallToolResult
}

/** Arguments may be left out where the tool needs none. */
export type CallArguments<Args> = {} extends Args
  ? [args?: Args, options?: CallOptions]
  : [args: Args, options?: CallOptions]

/** Something that the server asked while the test ran, and what it was told. */
export interface Question {
  readonly kind: 'form' | 'url' | 'sample' | 'roots'
  /** The key that the handler gave its question. */
  readonly key: string
  readonly message: string
  readonly answer: unknown
}

/** A log message that the client got. */
export interface Logged {
  readonly level: LoggingLevel
  readonly data: unknown
}

/** A report of progress that the client got. */
export interface Progressed {
  readonly done: number
  readonly total?: number
  readonly message?: string
}

/** A notification that the client got. */
export interface Notified {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** What a completion is for: a prompt by its name, or a resource template by itself. */
export type CompletionOf = { readonly prompt: string } | { readonly template: string }

/**
 * A client of the server under test, typed by its tools. It speaks the wire protocol of one revision: what the test sees
 * went through JSON both ways.
 */
export interface TestClient<T extends Tools = Tools, S = unknown> extends AsyncDisposable {
  readonly version: Version
  readonly era: Era
  /** The official client underneath, for everything that has no shorthand here. */
  readonly client: Client
  call<Name extends keyof T & string>(
    name: Name,
    ...rest: CallArguments<T[Name]['args']>
  ): Promise<Called<T[Name]['result']>>
  /** For tools whose types are not known here, such as those of a mounted remote server. */
  callAny(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Called<unknown>>
  read(uri: string): Promise<{ readonly text: string; readonly raw: ReadResourceResult }>
  prompt(
    name: string,
    args?: Readonly<Record<string, string>>,
  ): Promise<{ readonly text: string; readonly raw: GetPromptResult }>
  /** The suggestions for an argument of which `value` is typed so far. */
  complete(
    of: CompletionOf,
    argument: string,
    value: string,
    others?: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>
  /** The names, URIs or URI templates of everything of a kind, all pages. */
  list(kind: Kind): Promise<readonly string[]>
  /** Any method, with what the revision puts around it. The result comes as it is: questions in it are not answered. */
  request(method: string, params?: Readonly<Record<string, unknown>>): Promise<Result>
  /** Sends exactly this, be it a message, a batch or neither; resolves with the answer, undefined where none is due. */
  raw(message: unknown): Promise<unknown>
  /** Asks to hear of updates of a resource. */
  watch(uri: string): Promise<void>
  /** Resolves with the first notification of this method, also when it has come already. */
  heard(method: string): Promise<Notified>
  /** The state that the server keeps for this client. */
  state(): Promise<S>
  readonly log: readonly Logged[]
  readonly progress: readonly Progressed[]
  /** Everything that was announced besides logs and progress. */
  readonly notifications: readonly Notified[]
  readonly questions: readonly Question[]
  close(): Promise<void>
}

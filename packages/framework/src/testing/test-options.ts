import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  Root,
} from '@modelcontextprotocol/client'
import type { Principal } from '../auth/auth.ts'
import type { Awaitable } from '../component/define.ts'
import type { Version } from '../protocol/version.ts'
import type { HttpOptions } from '../transport/http/http-app.ts'

/** A form that a server asks the person to fill in, or a URL that it sends the person to. */
export interface Ask {
  /** The key that the handler gave its question. */
  readonly key: string
  readonly message: string
  /** What the form may hold, as JSON Schema. */
  readonly schema?: Readonly<Record<string, unknown>>
  readonly url?: string
}

/** The fields of the form, or what the person did instead; `accept` is for questions without fields. */
export type AskReply = Readonly<Record<string, unknown>> | 'accept' | 'decline' | 'cancel'

/** What the model says: a text, or the whole result. */
export type SampleReply = string | CreateMessageResult

/** How a test talks to the server, and what it answers when the server asks. */
export interface TestOptions {
  /** The newest revision unless said otherwise. */
  readonly version?: Version
  /** Who asks; nobody in particular unless said otherwise. */
  readonly principal?: Principal
  /** What the client says that it can do; everything unless said otherwise. */
  readonly capabilities?: ClientCapabilities
  /** Answers to `elicit` and `elicitUrl`, by the question's key or message. A question without an answer fails the test. */
  readonly onElicit?:
    | Readonly<Record<string, AskReply | ((ask: Ask) => Awaitable<AskReply>)>>
    | ((ask: Ask) => Awaitable<AskReply | undefined>)
  /** The answer to `sample`; a string stands for a text of the model. */
  readonly onSample?: SampleReply | ((params: CreateMessageRequestParams, key: string) => Awaitable<SampleReply>)
  /** The answer to `roots`, as URIs or whole. */
  readonly roots?: readonly (string | Root)[]
  /** Goes over a real socket on loopback instead of memory, served with these options. */
  readonly http?: true | HttpOptions
  /** Sent with each HTTP request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The longest that anything may take; 10 seconds unless said otherwise. */
  readonly timeoutMs?: number
}

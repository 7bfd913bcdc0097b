import type {
  ClientCapabilities,
  Implementation,
  JSONRPCNotification,
  JSONRPCRequest,
  Result,
  ServerCapabilities,
} from '@modelcontextprotocol/server'
import type { Principal } from '../auth/auth.ts'
import type { Connection, EndReason } from '../connection/connection.ts'
import type { Context } from '../context/context.ts'
import type { McpError } from '../protocol/errors.ts'
import type { Version } from '../protocol/version.ts'
import type { ParamHeader } from '../wire/param-headers.ts'

/**
 * What becomes of a request: answered now, answered later through `Exchange.reply`, or refused. The state, where it is
 * given, replaces the connection's.
 */
export type Reply<S> = readonly ['reply', Result, S?] | readonly ['noreply', S?] | readonly ['error', McpError, S?]

/** What becomes of something that has no answer: at most another state. Throw what should be reported. */
export type NoReply<S> = readonly ['noreply', S?] | readonly ['error', McpError, S?] | undefined | void

/** Who wants in: what `init` decides by. */
export interface Opening {
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly version: Version
  readonly principal: Principal | undefined
}

/** A request's context, and the way to answer it after `noreply`. */
export interface Exchange<S = unknown> extends Context<S> {
  reply(result: Result): void
  fail(error: McpError): void
}

/**
 * The low-level server: everything but the opening, ping and cancellation comes here as it is. The high-level `server()`
 * is one implementation of it.
 */
export interface Behaviour<S = undefined> {
  serverInfo(): Implementation
  capabilities?(): ServerCapabilities
  instructions?(): string | undefined
  versions?(): readonly Version[]
  /** Once per connection; for modern clients once per request. Throw an `McpError` to refuse the client. */
  init?(opening: Opening): S | Promise<S>
  handleRequest(request: JSONRPCRequest, state: S, exchange: Exchange<S>): Reply<S> | Promise<Reply<S>>
  handleNotification?(
    notification: JSONRPCNotification,
    state: S,
    connection: Connection,
  ): NoReply<S> | Promise<NoReply<S>>
  /** Events sent with `connection.send(event)`, from anywhere. */
  handleInfo?(event: unknown, state: S, connection: Connection): NoReply<S> | Promise<NoReply<S>>
  terminate?(reason: EndReason, state: S): void | Promise<void>
  /** The scopes that this request needs; asked before the request runs, so that HTTP can challenge for them. */
  scopesOf?(request: JSONRPCRequest): readonly string[]
  /** Methods of extensions, such as `tasks/get`, that `handleRequest` answers besides those of the revision. */
  extraMethods?(): readonly string[]
  /** The arguments of a tool that clients mirror into `Mcp-Param-*` headers. */
  mirroredParams?(tool: string): readonly ParamHeader[]
}

import type { HubError } from '@herma/contract'
import {
  isNestedTooDeep,
  isObject,
  isUnknownError,
  jsonProblem,
  maxNesting,
  WholeAnswerCall,
  type Answer,
  type Call,
  type Era,
  type Meta,
  type NotificationMessage,
  type ParamHeader,
  type Params,
  type Question,
  type RequestId,
  type RpcError,
} from '../../wire/index.ts'

interface InnerCallOptions {
  /** The call of the client that this one is part of; its client answers the questions. */
  readonly outer: Pick<Call, 'caller' | 'ask' | 'notify' | 'traceparent' | 'via'>
  /** Under which the client wants to hear of progress; undefined when it shall not. */
  readonly progressToken: RequestId | undefined
  /** What the request carries besides, such as the way that it came. */
  readonly meta?: Meta
  readonly method: 'tools/call' | 'resources/read'
  readonly params: Params
  readonly paramHeaders: readonly ParamHeader[] | null
  settle(result: Record<string, unknown> | null, error: RpcError | HubError | null): void
}

/**
 * A request that Herma makes while it runs a tool of its own. What its server asks goes to the client of the outer
 * call. To the server it looks like the call of a legacy client, so that input is gathered here and never leaves the
 * outer call half done.
 */
export class InnerCall extends WholeAnswerCall {
  readonly traceparent: string | null
  readonly via: string | undefined
  readonly #options: InnerCallOptions

  constructor(options: InnerCallOptions) {
    const { method, outer, params, paramHeaders, progressToken } = options
    const meta = progressToken === undefined ? options.meta : { ...options.meta, progressToken }
    super(method, meta === undefined ? { ...params } : { ...params, _meta: meta }, { ...outer.caller, era: 'legacy' })
    this.#options = options
    this.traceparent = outer.traceparent ?? null
    this.via = outer.via
    this.paramHeaders = paramHeaders
  }

  respond(bytes: Buffer): void {
    if (this.isDone) return
    try {
      if (isNestedTooDeep(bytes)) throw new Error(`it is nested deeper than ${maxNesting} levels`)
      const message = JSON.parse(bytes.toString('utf8')) as { result?: unknown; error?: RpcError }
      if (message.error !== undefined) return this.failWith(message.error)
      if (!isObject(message.result)) throw new Error('it has no result')
      this.#end(message.result, null)
    } catch (error) {
      this.#end(null, { code: -32603, message: `The answer of a server cannot be read: ${jsonProblem(error)}` })
    }
  }

  fail(error: HubError): void {
    this.#end(null, error)
  }

  failWith(error: RpcError, _from?: Era): void {
    if (isUnknownError(error)) this.runner?.doubt?.()
    this.#end(null, error)
  }

  /** Ends the call from our side and tells the server. */
  giveUp(error: HubError): void {
    if (this.isDone) return
    this.#end(null, error)
    this.runner?.cancel(error.message)
  }

  override notify(message: NotificationMessage): boolean {
    return this.isDone || this.#options.outer.notify(message)
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    return this.#options.outer.ask(question, signal)
  }

  #end(result: Record<string, unknown> | null, error: RpcError | HubError | null): void {
    if (this.isDone) return
    this.isDone = true
    this.#options.settle(result, error)
  }
}

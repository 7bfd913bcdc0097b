import { HubError } from '@herma/contract'
import type { OwnTool } from '../../catalog/index.ts'
import {
  isObject,
  metaOf,
  pathMeta,
  progressTokenFor,
  progressTokenOf,
  rememberMembers,
  type NotificationMessage,
  type RawJson,
  type RequestId,
  type CallRunner,
  type ToolResult,
} from '../../wire/index.ts'
import type { Exchange } from '../call/exchange.ts'
import { exchangeWorkContext, type ExchangeWorkContext } from './exchange-work-context.ts'
import { toHubError } from '../transport/refuse.ts'
import { ToolRun, type WorkCaller, type ToolRunOptions } from './tool-run.ts'

/** Runs a tool of Herma's own for a client: its inner calls, their questions and their end when the client leaves. */
export class OwnToolRun implements CallRunner {
  readonly connector = 'herma'
  readonly connectorId = ''
  readonly #exchange: Exchange
  readonly #run: ToolRun
  readonly #controller = new AbortController()
  #workContext: ExchangeWorkContext | null = null

  constructor(exchange: Exchange, options: ToolRunOptions) {
    this.#exchange = exchange
    this.#run = new ToolRun(this.#workCaller(), options)
    exchange.runner = this
  }

  async run(own: OwnTool): Promise<void> {
    const { message, params } = this.#exchange
    // What a tool passes on as it is passes as text.
    rememberMembers(message, ['params'])
    rememberMembers(message, ['params', 'arguments'])
    const given = params?.['arguments']
    try {
      if (given !== undefined && !isObject(given))
        throw new HubError('INVALID_PARAMS', '"arguments" must be an object.')
      const result = await this.#run.run(own, given ?? {})
      this.#workContext?.flush()
      this.#noteError(result)
      this.#exchange.result(result)
    } catch (error) {
      this.#exchange.fail(toHubError(error))
    } finally {
      this.#controller.abort(new HubError('DOWNSTREAM_FAILED', 'The call is over.'))
    }
  }

  cancel(reason: string): void {
    this.#controller.abort(new HubError('DOWNSTREAM_FAILED', `The client gave up: ${reason}`))
  }

  /** An answer that says what went wrong is no success. What the hub itself says of it is recorded. */
  #noteError({ isError, content, _meta }: ToolResult): void {
    if (isError !== true) return
    this.#exchange.isToolError = true
    const about = _meta?.['herma/error']
    const text = content[0]?.['text']
    if (!isObject(about) || typeof about['code'] !== 'string' || typeof text !== 'string') return
    this.#exchange.errorCode = about['code']
    // As a whole: of half a secret nobody would know that it is one.
    this.#exchange.errorText = text
  }

  #workCaller(): WorkCaller {
    const exchange = this.#exchange
    const { signal } = this.#controller
    return {
      get caller() {
        return exchange.caller
      },
      signal,
      traceparent: exchange.traceparent,
      via: exchange.via,
      meta: pathMeta(metaOf(exchange.params)),
      workContext: () => (this.#workContext ??= exchangeWorkContext({ exchange, signal })),
      progressToken: (isFirst) => (isFirst ? progressTokenOf(metaOf(exchange.params)) : undefined),
      notify: (message) => this.#pass(message),
      ask: (question, withdrawn) => exchange.ask(question, withdrawn),
      progress: (done, total, message) => this.#report(done, total, message),
    }
  }

  /** A client that was away for input hears of progress under the token that it came back with. */
  #pass(message: NotificationMessage): boolean {
    if (message.method !== 'notifications/progress') return this.#exchange.notify(message)
    const progressToken = this.#progressToken
    if (progressToken === undefined) return true
    return this.#exchange.notify({ ...message, params: { ...message.params, progressToken } })
  }

  #report(progress: number, total: number | undefined, message: string): void {
    const progressToken = this.#progressToken
    if (progressToken === undefined) return
    const params = { progressToken, progress, ...(total !== undefined && { total }), message }
    this.#exchange.notify({ jsonrpc: '2.0', method: 'notifications/progress', params })
  }

  get #progressToken(): RequestId | RawJson | undefined {
    return progressTokenFor(this.#exchange)
  }
}

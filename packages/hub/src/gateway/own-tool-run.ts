import { HubError } from '@herma/contract'
import type { Arguments, OwnTool, ShapedTool, ToolContext, ToolReference, ToolResult } from '../catalog/index.ts'
import type { Downstream } from '../downstream/index.ts'
import {
  isObject,
  metaOf,
  progressTokenOf,
  type NotificationMessage,
  type RequestId,
  type RpcError,
  type Runner,
} from '../wire/index.ts'
import type { Step } from './call-recorder.ts'
import { CallTimer } from './call-timer.ts'
import type { Exchange } from './exchange.ts'
import { exchangeErrand, type ErrandOfExchange } from './exchange-errand.ts'
import { InnerCall } from './inner-call.ts'
import { isNotFound } from './is-not-found.ts'
import type { Subject } from './permission.ts'
import { subjectOf } from './subject-of.ts'
import { toHubError } from './refuse.ts'

export interface OwnToolParts {
  /** A tool by its connector and own name, hidden or not. */
  member(reference: ToolReference): ShapedTool | undefined
  /** A tool by the name that this client sees. */
  exposed(name: string): ShapedTool | undefined
  downstream(connectorId: string): Downstream
  /** Throws when the principal may not use this: a composite is no way around a rule. */
  require(subject: Subject): void
  /** Told of every call that was made on the way. */
  onStep(step: Step): void
  /** The servers that may have a resource and that this client may reach. */
  owners(uri: string): readonly Downstream[]
}

interface CallLimits {
  readonly depth: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

type InnerRequest = Omit<ConstructorParameters<typeof InnerCall>[0], 'outer' | 'settle'>

/** An error that a server answered with. */
class RefusedError extends HubError {
  readonly error: RpcError

  constructor(error: RpcError) {
    super('DOWNSTREAM_FAILED', error.message, { data: error.data })
    this.error = error
  }
}

/** A composite may call composites; two that call each other end here. */
const maxDepth = 8
const defaultTimeoutMs = 300_000

/** Runs a tool of Herma's own for a client: its inner calls, their questions and their end when the client leaves. */
export class OwnToolRun implements Runner {
  readonly connector = 'herma'
  readonly connectorId = ''
  readonly #exchange: Exchange
  readonly #parts: OwnToolParts
  readonly #controller = new AbortController()
  /** Progress has to rise, so that only one may report it: the tool, or the server of its first call. */
  #reporter: 'tool' | 'server' | null = null
  #lastProgress = Number.NEGATIVE_INFINITY
  #errand: ErrandOfExchange | null = null

  constructor(exchange: Exchange, parts: OwnToolParts) {
    this.#exchange = exchange
    this.#parts = parts
    exchange.runner = this
  }

  async run(own: OwnTool): Promise<void> {
    const given = this.#exchange.params?.['arguments']
    try {
      if (given !== undefined && !isObject(given))
        throw new HubError('INVALID_PARAMS', '"arguments" must be an object.')
      const result = await own.run(given ?? {}, this.#context(0))
      this.#errand?.flush()
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

  #context(depth: number): ToolContext {
    const { caller } = this.#exchange
    return {
      signal: this.#controller.signal,
      caller,
      errand: () => (this.#errand ??= exchangeErrand({ exchange: this.#exchange, signal: this.#controller.signal })),
      call: async (reference, args, options = {}) => {
        const tool = this.#parts.member(reference)
        if (tool === undefined) throw notFound(reference)
        return this.#call(tool, args, { depth, timeoutMs: options.timeoutMs ?? defaultTimeoutMs })
      },
      callExposed: async (name, args, signal) => {
        const tool = this.#parts.exposed(name)
        if (tool === undefined) throw notFound({ tool: name })
        return this.#call(tool, args, { depth, timeoutMs: defaultTimeoutMs, signal })
      },
      readResource: (uri) => this.#readResource(uri),
      progress: (done, total, message) => this.#report(done, total, message),
    }
  }

  async #call(tool: ShapedTool, args: Arguments, limits: CallLimits): Promise<ToolResult> {
    this.#controller.signal.throwIfAborted()
    if (limits.depth >= maxDepth)
      throw new HubError('INVALID_REQUEST', `Tools of Herma call each other more than ${maxDepth} levels deep.`)
    // Hidden tools may be called from inside; one that a person has yet to approve may not.
    if (tool.blockedBecause !== null) throw blocked(tool)
    this.#parts.require({
      ...subjectOf(tool),
      method: 'tools/call',
      target: tool.name ?? tool.wanted,
      arguments: args,
    })
    if (tool.own !== null) return tool.own.run(args, this.#context(limits.depth + 1))
    const isFirst = this.#reporter === null
    this.#reporter ??= 'server'
    const result = await this.#send(this.#parts.downstream(tool.source.id), limits, {
      method: 'tools/call',
      progressToken: isFirst ? this.#progressToken : undefined,
      params: { name: tool.original, arguments: args },
      paramHeaders: tool.paramHeaders,
    })
    return toResult(result)
  }

  /** Whoever may have it is asked in turn, as for a client that reads it. */
  async #readResource(uri: string): Promise<Record<string, unknown>> {
    const request = { method: 'resources/read', progressToken: undefined, params: { uri }, paramHeaders: null } as const
    for (const owner of this.#parts.owners(uri)) {
      try {
        return await this.#send(owner, { timeoutMs: defaultTimeoutMs }, request)
      } catch (error) {
        if (!(error instanceof RefusedError) || !isNotFound(error.error)) throw error
      }
    }
    throw new HubError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, { data: { uri } })
  }

  #send(
    downstream: Downstream,
    { timeoutMs, signal: early }: Omit<CallLimits, 'depth'>,
    request: InnerRequest,
  ): Promise<Record<string, unknown>> {
    const own = this.#controller.signal
    const signal = early === undefined ? own : AbortSignal.any([own, early])
    signal.throwIfAborted()
    const exchange = this.#exchange
    const at = Date.now()
    const begun = performance.now()
    return new Promise((resolve, reject) => {
      const call = new InnerCall({
        ...request,
        outer: {
          caller: exchange.caller,
          traceparent: exchange.traceparent,
          notify: (message) => this.#pass(message),
          ask: (question, withdrawn) => timer.during(() => exchange.ask(question, withdrawn)),
        },
        settle: (result, error) => {
          timer.end()
          signal.removeEventListener('abort', abandon)
          this.#parts.onStep({
            at,
            connector: downstream.name,
            connectorId: downstream.id,
            method: request.method,
            target: String(request.params['name'] ?? request.params['uri']),
            ms: performance.now() - begun,
            ...stepOutcome(result, error),
          })
          if (error === null) resolve(result!)
          else reject(error instanceof HubError ? error : new RefusedError(error))
        },
      })
      const abandon = () => call.giveUp(toHubError(signal.reason))
      const timer = new CallTimer(timeoutMs, () => {
        const text = `'${downstream.name}' did not answer within ${timeoutMs} ms. The call may have run.`
        call.giveUp(new HubError('DOWNSTREAM_TIMEOUT', text))
      })
      signal.addEventListener('abort', abandon, { once: true })
      downstream.call(call)
    })
  }

  /** A client that was away for input hears of progress under the token that it came back with. */
  #pass(message: NotificationMessage): boolean {
    if (message.method !== 'notifications/progress') return this.#exchange.notify(message)
    const progressToken = this.#progressToken
    if (progressToken === undefined) return true
    return this.#exchange.notify({ ...message, params: { ...message.params, progressToken } })
  }

  get #progressToken(): RequestId | undefined {
    return progressTokenOf(metaOf(this.#exchange.params))
  }

  #report(done: number, total: number | undefined, message: string): void {
    const progressToken = this.#progressToken
    this.#reporter ??= 'tool'
    // A composite inside of another one counts from the beginning again.
    if (progressToken === undefined || this.#reporter !== 'tool' || done <= this.#lastProgress) return
    this.#lastProgress = done
    const params = { progressToken, progress: done, ...(total !== undefined && { total }), message }
    this.#exchange.notify({ jsonrpc: '2.0', method: 'notifications/progress', params })
  }
}

function stepOutcome(result: Record<string, unknown> | null, error: RpcError | HubError | null) {
  if (error !== null) return { outcome: 'error', errorCode: String(error.code) } as const
  return { outcome: result?.['isError'] === true ? 'tool-error' : 'ok' } as const
}

function toResult({ resultType: _, ...result }: Record<string, unknown>): ToolResult {
  return { ...result, content: Array.isArray(result['content']) ? result['content'] : [] }
}

function blocked({ source, original, blockedBecause }: ShapedTool): HubError {
  const place = `${source.name} ${original}`
  const text = `'${original}' of '${source.name}' is blocked: ${blockedBecause}. See: herma catalog review ${place}`
  return new HubError('FORBIDDEN', text)
}

function notFound({ server, tool }: ToolReference): HubError {
  const text =
    server === undefined ? `Unknown tool: ${JSON.stringify(tool)}` : `'${server}' has no tool ${JSON.stringify(tool)}.`
  return new HubError('TOOL_NOT_FOUND', `${text} See: herma catalog list --all`)
}

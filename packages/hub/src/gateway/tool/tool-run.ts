import { HubError } from '@herma/contract'
import type { Arguments, OwnTool, ShapedTool, ToolContext, ToolReference, ToolResult } from '../../catalog/index.ts'
import type { Downstream } from '../../downstream/index.ts'
import type {
  Answer,
  Caller,
  WorkContext,
  Meta,
  NotificationMessage,
  ParamHeader,
  Question,
  RequestId,
  RpcError,
} from '../../wire/index.ts'
import type { RecordedStep } from '../call/call-recorder.ts'
import { CallTimer } from '../call/call-timer.ts'
import { InnerCall } from './inner-call.ts'
import { isNotFound } from '../call/is-not-found.ts'
import type { CallPermit, Subject } from '../call/permission.ts'
import { subjectOf } from '../call/subject-of.ts'
import { toHubError } from '../transport/refuse.ts'

/** On whose behalf tools are called, and how they hear of it. */
export interface WorkCaller {
  /** As it is now: a client that was away may come back as another connection. */
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly traceparent: string | null
  /** The hubs that it came over. */
  readonly via?: string | undefined
  /** What calls of servers carry in `_meta`. */
  readonly meta: Meta | undefined
  workContext(): WorkContext
  /** Under which a server may report how far it is; undefined = it shall not. */
  progressToken(isFirst: boolean): RequestId | undefined
  /** Passes on what a server says about a call; false asks it to slow down. */
  notify(message: NotificationMessage): boolean
  ask(question: Question, withdrawn: AbortSignal): Promise<Answer>
  progress(done: number, total: number | undefined, message: string): void
}

export interface ToolRunOptions {
  /** A tool by its connector and own name, hidden or not. */
  member(reference: ToolReference): ShapedTool | undefined
  /** Resolves when every server was looked at once; null when that has happened already. */
  settled(): Promise<unknown> | null
  /** A tool by the name that this client sees. */
  exposed(name: string): ShapedTool | undefined
  downstream(connectorId: string): Downstream
  /** Throws when the principal may not use this: a composite is no way around a rule. */
  require(subject: Subject): void
  /** Counts a call against the limits of the principal, and throws when there are too many. */
  take(method: string, isFirst: boolean): CallPermit
  /** Told of every call that was made on the way. */
  onStep(step: RecordedStep): void
  /** The servers that may have a resource and that this client may reach. */
  owners(uri: string): readonly Downstream[]
}

/** A call of a tool at its server. */
interface SentTool {
  readonly tool: string
  readonly arguments: Arguments
  readonly paramHeaders: readonly ParamHeader[] | null
  readonly timeoutMs?: number
}

interface CallLimits {
  readonly depth: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

type InnerRequest = Omit<ConstructorParameters<typeof InnerCall>[0], 'outer' | 'settle' | 'meta'>

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

/**
 * Calls tools on somebody's behalf: those of servers, and Herma's own with all that these call in turn. Rules hold for
 * every one of them, and each call of a server is recorded.
 */
export class ToolRun {
  readonly #workCaller: WorkCaller
  readonly #parts: ToolRunOptions
  /** Progress has to rise, so that only one may report it: the tool, or the server of its first call. */
  #reporter: 'tool' | 'server' | null = null
  #lastProgress = Number.NEGATIVE_INFINITY
  /** Calls of servers that are not over yet. */
  #underWay = 0

  constructor(workCaller: WorkCaller, parts: ToolRunOptions) {
    this.#workCaller = workCaller
    this.#parts = parts
  }

  /** Runs one of Herma's own. */
  run(own: OwnTool, args: Arguments): Promise<ToolResult> {
    return own.run(args, this.#context(0))
  }

  /** Calls any tool. */
  call(tool: ShapedTool, args: Arguments): Promise<ToolResult> {
    return this.#call(tool, args, { depth: 0, timeoutMs: defaultTimeoutMs })
  }

  /** Calls a tool of a server by its name there. Whether that is allowed was asked before. */
  async send(downstream: Downstream, request: SentTool, signal?: AbortSignal): Promise<ToolResult> {
    const { tool, arguments: args, paramHeaders } = request
    const isFirst = this.#reporter === null
    this.#reporter ??= 'server'
    const timeoutMs = request.timeoutMs ?? defaultTimeoutMs
    const result = await this.#send(
      downstream,
      { timeoutMs, signal },
      {
        method: 'tools/call',
        progressToken: this.#workCaller.progressToken(isFirst),
        params: { name: tool, arguments: args },
        paramHeaders,
      },
    )
    return toResult(result)
  }

  #context(depth: number): ToolContext {
    const workCaller = this.#workCaller
    return {
      signal: workCaller.signal,
      caller: workCaller.caller,
      workContext: () => workCaller.workContext(),
      call: async (reference, args, options = {}) => {
        const tool = await this.#find(() => this.#parts.member(reference))
        if (tool === undefined) throw notFound(reference)
        return this.#call(tool, args, { depth, timeoutMs: options.timeoutMs ?? defaultTimeoutMs })
      },
      callExposed: async (name, args, signal) => {
        const tool = await this.#find(() => this.#parts.exposed(name))
        if (tool === undefined) throw notFound({ tool: name })
        return this.#call(tool, args, { depth, timeoutMs: defaultTimeoutMs, signal })
      },
      readResource: (uri) => this.#readResource(uri),
      progress: (done, total, message) => this.#report(done, total, message),
    }
  }

  /** What nobody has may be of a server that is being looked at for the first time. */
  async #find(look: () => ShapedTool | undefined): Promise<ShapedTool | undefined> {
    const found = look()
    const settled = found === undefined ? this.#parts.settled() : null
    if (settled === null) return found
    await settled
    return look()
  }

  async #call(tool: ShapedTool, args: Arguments, limits: CallLimits): Promise<ToolResult> {
    this.#workCaller.signal.throwIfAborted()
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
    const { original, paramHeaders } = tool
    const request = { tool: original, arguments: args, paramHeaders, timeoutMs: limits.timeoutMs }
    return this.send(this.#parts.downstream(tool.source.id), request, limits.signal)
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

  async #send(
    downstream: Downstream,
    { timeoutMs, signal: early }: Omit<CallLimits, 'depth'>,
    request: InnerRequest,
  ): Promise<Record<string, unknown>> {
    const workCaller = this.#workCaller
    const signal = early === undefined ? workCaller.signal : AbortSignal.any([workCaller.signal, early])
    signal.throwIfAborted()
    const permit = this.#parts.take(request.method, this.#underWay === 0)
    this.#underWay++
    const at = Date.now()
    const begun = performance.now()
    return new Promise((resolve, reject) => {
      const call = new InnerCall({
        ...request,
        meta: workCaller.meta,
        outer: {
          caller: workCaller.caller,
          traceparent: workCaller.traceparent,
          via: workCaller.via,
          notify: (message) => workCaller.notify(message),
          ask: (question, withdrawn) => timer.during(() => workCaller.ask(question, withdrawn)),
        },
        settle: (result, error) => {
          timer.end()
          this.#underWay--
          permit.release()
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

  #report(done: number, total: number | undefined, message: string): void {
    this.#reporter ??= 'tool'
    // A composite inside of another one counts from the beginning again.
    if (this.#reporter !== 'tool' || done <= this.#lastProgress) return
    this.#lastProgress = done
    this.#workCaller.progress(done, total, message)
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

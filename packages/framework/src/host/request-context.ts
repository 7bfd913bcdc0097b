import type {
  CallToolResult,
  ClientCapabilities,
  Implementation,
  InputRequest,
  JSONRPCRequest,
  LoggingLevel,
  RequestId,
  Result,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import { hasScopes, type Principal } from '../auth/auth.ts'
import type { Notifier } from '../connection/connection.ts'
import type { LiveConnection } from '../connection/live-connection.ts'
import { ConfigError, type McpError } from '../protocol/errors.ts'
import type { Origin, Peer } from './peer.ts'
import { eraOf, type Era, type Version } from '../protocol/version.ts'
import type { Exchange } from './behaviour.ts'
import type { Host } from './host.ts'
import { emit } from '../telemetry/events.ts'
import { spanOf, type Span } from '../telemetry/span.ts'
import { isObject, metaKeys } from '../wire/meta.ts'
import { digest } from '../context/digest.ts'
import type { HttpInfo, Log, State } from '../context/context.ts'
import { Deadline } from '../context/deadline.ts'
import { makeLog } from '../context/make-log.ts'
import { QuestionRound, withKey } from './question-round.ts'
import { StateCell } from '../context/state-cell.ts'

/** What the protocol hands over with a request. */
export interface RequestSource {
  readonly sdk: ServerContext
  readonly server: Server
  readonly peer: Peer
  readonly origin: Origin
  readonly version: Version
  /** Of a legacy client. */
  readonly connection?: LiveConnection
  /** Asks the client in another way than its era has; a task does, whose request is answered already. */
  ask?(key: string, question: InputRequest): Promise<unknown>
}

const maxCallDepth = 16

/** The context of one request. Its expensive parts are made on first use. */
export class RequestContext implements Exchange {
  readonly request: JSONRPCRequest
  readonly version: Version
  readonly host: Host
  readonly source: RequestSource
  readonly deadline: Deadline
  readonly #outer: RequestContext | undefined
  #locals: Record<PropertyKey, unknown> | undefined
  #connection: LiveConnection | undefined
  #questions: QuestionRound | undefined
  #state: State<unknown> | undefined
  #log: Log | undefined
  #later: { resolve(result: Result): void; reject(error: McpError): void } | undefined
  #innerCalls = 0
  /** The number of this call among the inner calls of its outer request. */
  readonly #turn: number
  #isOver = false
  #early: { result: Result } | { error: McpError } | undefined
  #uri: string | undefined

  constructor(host: Host, request: JSONRPCRequest, source: RequestSource, outer?: RequestContext) {
    this.host = host
    this.request = request
    this.source = source
    this.version = source.version
    this.#outer = outer
    this.#turn = outer === undefined ? 0 : ++outer.#innerCalls
    this.deadline = outer?.deadline ?? new Deadline(source.sdk.mcpReq.signal)
  }

  get requestId(): RequestId {
    return this.request.id
  }
  get method(): string {
    return this.request.method
  }
  get era(): Era {
    return eraOf(this.version)
  }
  get signal(): AbortSignal {
    return this.deadline.signal
  }
  get meta(): Readonly<Record<string, unknown>> {
    return this.request.params?._meta ?? {}
  }
  get client(): { readonly info?: Implementation; can(capability: string): boolean } {
    const { info, capabilities } = this.clientSaid()
    return { info, can: (capability) => hasCapability(capabilities, capability) }
  }
  get connection(): LiveConnection {
    return (this.#connection ??= this.source.connection ?? this.host.connectionOf(this.source.peer, this.clientSaid()))
  }
  get principal(): Principal | undefined {
    return this.source.origin.principal
  }
  get http(): HttpInfo | undefined {
    return this.source.origin.http
  }
  get locals(): Record<PropertyKey, unknown> {
    return (this.#locals ??= this.#outer?.locals ?? {})
  }
  get log(): Log {
    return (this.#log ??= makeLog((level, data) => this.#sendLog(level, data)))
  }
  get span(): Span {
    return spanOf(this.#outer ?? this)
  }
  get notify(): Notifier {
    return this.host.notify
  }
  get state(): State<unknown> {
    return (this.#state ??= this.#makeState())
  }
  get questions(): QuestionRound {
    return (this.#questions ??= this.#outer?.questions ?? new QuestionRound(this, this.host.seal))
  }
  /** The name of the tool or prompt, or the URI. */
  get target(): string | undefined {
    const { name, uri } = this.request.params ?? {}
    return typeof name === 'string' ? name : typeof uri === 'string' ? uri : undefined
  }
  /** What sealed state of this request is bound to. */
  get binding(): string {
    const { _meta, requestState: _, inputResponses: __, ...asked } = this.request.params ?? {}
    return JSON.stringify([this.host.info.name, this.principal?.id ?? '', this.method, digest(asked)])
  }

  /** The URI that is read. */
  get uri(): URL {
    return new URL(this.#uri ?? this.target ?? 'about:blank')
  }
  /** Sets the URI for a resource that has another one than the client asked for. */
  at(uri: string): this {
    this.#uri = uri
    return this
  }

  // What handlers call comes as functions of their own, because handlers take contexts apart: `(args, { progress })`.

  get hasScope(): Exchange['hasScope'] {
    return (...scopes) => hasScopes(this.principal, scopes)
  }
  get progress(): Exchange['progress'] {
    return (done, total, message) => this.#report(done, total, message)
  }
  get elicit(): Exchange['elicit'] {
    return (key, ask) => guarded(this.questions.elicit(this.#keyed(key), ask))
  }
  get elicitUrl(): Exchange['elicitUrl'] {
    return (key, ask) => guarded(this.questions.elicitUrl(this.#keyed(key), ask))
  }
  get sample(): Exchange['sample'] {
    return (key, params) => guarded(this.questions.sample(this.#keyed(key), params))
  }
  get roots(): Exchange['roots'] {
    return () => guarded(this.questions.roots())
  }
  get once(): Exchange['once'] {
    return (key, effect) => guarded(this.questions.once(this.#keyed(key), effect))
  }
  get call(): Exchange['call'] {
    return (tool, args) => guarded(this.#call(tool, args ?? {}))
  }
  get reply(): Exchange['reply'] {
    return (result) => (this.#later === undefined ? (this.#early ??= { result }) : this.#later.resolve(result))
  }
  get fail(): Exchange['fail'] {
    return (error) => (this.#later === undefined ? (this.#early ??= { error }) : this.#later.reject(error))
  }
  /** Waits for `reply` or `fail`, after a behaviour said `noreply`. */
  answeredLater(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#later = { resolve, reject }
      if (this.#early === undefined) return
      if ('result' in this.#early) resolve(this.#early.result)
      else reject(this.#early.error)
    })
  }

  /** The request is answered: from here on nothing is sent for it, whatever its handler left running. */
  finish(): void {
    this.#isOver = true
    this.deadline.stop()
  }

  get isOver(): boolean {
    return this.#isOver || this.#outer?.isOver === true
  }

  requireOpen(question: string): void {
    if (this.isOver) throw new Error(`'${question}' was asked after the request was answered. Await it in the handler.`)
  }

  /** Whether this call is made, however far down, by a call of that tool. */
  isWithin(tool: string): boolean {
    const outer = this.#outer
    if (outer === undefined) return false
    return (outer.method === 'tools/call' && outer.target === tool) || outer.isWithin(tool)
  }

  /** True for the call of a tool by another one, and for what a mounted server does for its parent. */
  get isInner(): boolean {
    return this.#outer !== undefined
  }

  /** True when the client gave up: nobody hears of the result, nor of an error. */
  get isCancelled(): boolean {
    return this.source.sdk.mcpReq.signal.aborted
  }

  /** True when a modern client must be asked before there is a result. */
  get isSuspended(): boolean {
    return this.#questions?.isSuspended === true
  }

  /** What a modern client sent back with its retry. */
  retry(): { requestState: string | undefined; inputResponses: Record<string, unknown> } {
    const { mcpReq } = this.source.sdk
    // The SDK lifts these fields out of legacy requests too, where they mean nothing.
    if (this.era === 'legacy') return { requestState: undefined, inputResponses: {} }
    const requestState = mcpReq.requestState()
    return {
      requestState: typeof requestState === 'string' ? requestState : undefined,
      inputResponses: mcpReq.inputResponses ?? {},
    }
  }

  /** Asks the client while the handler waits; the time that it takes does not count as ours. */
  async askClient(key: string, question: InputRequest): Promise<unknown> {
    this.deadline.pause()
    try {
      if (this.source.ask !== undefined) return await this.source.ask(key, question)
      const options = { timeout: this.host.settings.questionTimeoutMs, signal: this.signal }
      return await this.source.sdk.mcpReq.send(withKey(question, key) as never, options as never)
    } finally {
      this.deadline.resume()
    }
  }

  clientSaid(): { info?: Implementation; capabilities: ClientCapabilities } {
    if (this.source.connection !== undefined) return this.source.connection.client
    const envelope = (this.source.sdk.mcpReq.envelope ?? {}) as Record<string, unknown>
    return {
      info: envelope[metaKeys.clientInfo] as Implementation | undefined,
      capabilities: envelope[metaKeys.clientCapabilities] ?? {},
    }
  }

  operation() {
    return {
      ...this.#at(),
      method: this.method,
      target: this.target,
      requestId: this.requestId,
      version: this.version,
      kind: this.source.peer.kind,
      principal: this.principal?.id,
      meta: this.meta,
    }
  }

  #report(done: number, total: number | undefined, message: string | undefined): void {
    const progressToken = this.meta['progressToken']
    if (this.isOver || (typeof progressToken !== 'string' && typeof progressToken !== 'number')) return
    if (!Number.isFinite(done) || (total !== undefined && !Number.isFinite(total))) {
      // Clients would refuse the notification, but the request itself can go on.
      return this.host.report(new RangeError(`progress(${String(done)}, ${String(total)}): give finite numbers.`))
    }
    const params = {
      progressToken,
      progress: done,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    }
    this.#notify('notifications/progress', params)
    emit('mcp.progress', () => ({ ...this.#at(), requestId: this.requestId, done, total }))
  }

  async #call(tool: string, args: Record<string, unknown>): Promise<CallToolResult> {
    if (this.#depth() >= maxCallDepth) {
      throw new ConfigError(`Tools call each other ${maxCallDepth} deep.`, 'Break the circle of calls.')
    }
    const params = { name: tool, arguments: args }
    const request: JSONRPCRequest = { jsonrpc: '2.0', id: this.requestId, method: 'tools/call', params }
    return (await this.host.answer(new RequestContext(this.host, request, this.source, this))) as CallToolResult
  }

  #at() {
    return { server: this.host.info.name, connection: this.source.connection?.id }
  }

  #notify(method: string, params: Record<string, unknown>): void {
    // A client that is gone hears nothing; the request ends by its signal.
    this.source.sdk.mcpReq.notify({ method, params }).catch((error: unknown) => this.host.report(error))
    emit('mcp.notification.sent', () => ({ ...this.#at(), method }))
  }

  #sendLog(level: LoggingLevel, data: unknown): void {
    if (this.isOver) return
    this.source.sdk.mcpReq.log(level, data, this.host.info.name).catch((error: unknown) => this.host.report(error))
  }

  #makeState(): State<unknown> {
    const { store, stateOptions } = this.host
    if (stateOptions === undefined) {
      throw new ConfigError('This server keeps no state.', 'Give server() the option state: { init: () => … }.')
    }
    return new StateCell(store, stateOptions, this, `state:${this.host.info.name}:${this.#stateKey(stateOptions.by)}`)
  }

  #stateKey(by: 'connection' | 'principal' | ((context: never) => string | undefined) = 'connection'): string {
    if (by === 'principal') return `principal:${this.principal?.id ?? 'local'}`
    const own = typeof by === 'function' ? by(this as never) : undefined
    return own === undefined ? `connection:${this.connection.id}` : `own:${own}`
  }

  /** Inner calls have questions of their own: without this two tools with a question 'name' would share its answer. */
  #keyed(key: string): string {
    if (this.#outer === undefined) return key
    return `${this.#outer.#keyed(this.target ?? '')}#${this.#turn}/${key}`
  }

  #depth(): number {
    return this.#outer === undefined ? 0 : this.#outer.#depth() + 1
  }
}

/**
 * A question that its handler does not wait for, or not at once, must not end the process as an unhandled rejection: it
 * rejects by design where the handler is to run again. Whoever awaits it still gets the error.
 */
function guarded<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
}

function hasCapability(capabilities: ClientCapabilities, wanted: string): boolean {
  const [root, leaf] = wanted.split('.') as [string, string | undefined]
  const declared = (capabilities as Record<string, unknown>)[root]
  if (!isObject(declared)) return false
  if (leaf === undefined || leaf in declared) return true
  // Before the modes had names, `elicitation` meant forms.
  return root === 'elicitation' && leaf === 'form' && !('url' in declared)
}

import { randomBytes } from 'node:crypto'
import type {
  ClientCapabilities,
  Implementation,
  JSONRPCNotification,
  JSONRPCRequest,
  Result,
  ServerCapabilities,
} from '@modelcontextprotocol/server'
import type { AnyType } from '../component/define.ts'
import { failedResult } from '../component/to-result.ts'
import type { EndReason, Notifier } from '../connection/connection.ts'
import { LiveConnection } from '../connection/live-connection.ts'
import { RequestContext, type RequestSource } from './request-context.ts'
import { DeadlineExceeded } from '../context/deadline.ts'
import { Seal } from '../context/seal.ts'
import type { StateOptions } from '../context/context.ts'
import { ConfigError, errorCode, McpError, ToolError } from '../protocol/errors.ts'
import { LegacyProtocol } from './legacy-protocol.ts'
import { ModernProtocols } from './modern-protocols.ts'
import type { Origin, Peer } from './peer.ts'
import { modernVersion, versions, type Version } from '../protocol/version.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { Store } from '../store/store.ts'
import { emit, hasErrorReader, hasListeners } from '../telemetry/events.ts'
import { runInSpan } from '../telemetry/span.ts'
import { messageOfThrown, textOfThrown, typeOfThrown } from '../telemetry/thrown.ts'
import { writeError } from '../telemetry/write-error.ts'
import { isObject } from '../wire/meta.ts'
import type { Behaviour, NoReply, Reply } from './behaviour.ts'
import { notifier } from '../connection/change.ts'
import { Changes } from './changes.ts'
import { checkVersions, resolveSettings, type Concurrency, type RunOptions, type Settings } from './settings.ts'

const stateTtlMs = 3_600_000

/** Runs a behaviour for every protocol and transport: contexts, turns, deadlines, state and errors. */
export class Host {
  readonly behaviour: Behaviour<never>
  readonly info: Implementation
  readonly settings: Settings
  readonly versions: readonly Version[]
  readonly changes: Changes
  readonly notify: Notifier
  readonly store: Store
  readonly seal: Seal
  readonly stateOptions: StateOptions<unknown> | undefined
  readonly modern: ModernProtocols
  readonly connections = new Map<string, LiveConnection>()
  readonly #peers = new WeakMap<Peer, LiveConnection>()
  readonly #closers: (() => Promise<void> | void)[] = []
  #transports = 0
  #inFlight = 0

  constructor(behaviour: Behaviour<never>, options: RunOptions<AnyType>, defaultConcurrency: Concurrency) {
    this.behaviour = behaviour
    this.info = behaviour.serverInfo()
    this.settings = resolveSettings(options, defaultConcurrency)
    this.versions = checkVersions(options.versions ?? behaviour.versions?.() ?? versions)
    this.changes = new Changes(this.info.name, (error) => this.report(error))
    this.modern = new ModernProtocols(this)
    this.notify = notifier((change) => this.changes.publish(change))
    this.store = options.store ?? memoryStore()
    this.seal = new Seal(options.stateKeys, stateTtlMs)
    this.stateOptions = options.state as StateOptions<unknown> | undefined
  }

  get capabilities(): ServerCapabilities {
    return this.behaviour.capabilities?.() ?? {}
  }

  /** Requests that are running, questions and waiting included. */
  get inFlight(): number {
    return this.#inFlight
  }

  get servesModern(): boolean {
    return this.versions.includes(modernVersion)
  }

  get servesLegacy(): boolean {
    return this.versions.some((version) => version !== modernVersion)
  }

  /** What the SDK is told at the opening; capabilities may have grown since the last one. */
  sdkOptions() {
    const instructions = this.behaviour.instructions?.()
    return { capabilities: this.capabilities, ...(instructions !== undefined && { instructions }) }
  }

  openLegacy(peer: Peer, id: string): LegacyProtocol {
    return new LegacyProtocol(this, peer, id)
  }

  /** The connection that stands for a modern peer: a process at the other end of a pipe, or one request over HTTP. */
  connectionOf(
    peer: Peer,
    client: { info?: Implementation; capabilities: ClientCapabilities } = { capabilities: {} },
  ): LiveConnection {
    let connection = this.#peers.get(peer)
    if (connection === undefined) {
      connection = new LiveConnection({
        kind: peer.kind,
        version: modernVersion,
        client,
        concurrency: this.settings.concurrency,
        // Modern clients hear of changes through the subscriptions that they opened.
        announce: (notification) => this.changes.publish(notification as never),
        handleInfo: (event, own) => this.informed(event, own),
        end: async () => {},
      })
      this.#peers.set(peer, connection)
    }
    return connection
  }

  /** Lets a legacy client in, or throws what keeps it out. */
  async opened(connection: LiveConnection, origin: Origin): Promise<void> {
    const { client, version } = connection
    connection.behaviourState = await this.behaviour.init?.({ client, version, principal: origin.principal })
    this.connections.set(connection.id, connection)
  }

  async ended(connection: LiveConnection, reason: EndReason): Promise<void> {
    this.connections.delete(connection.id)
    const { kind, createdAt, id } = connection
    const ms = Date.now() - createdAt.getTime()
    emit('mcp.connection.closed', () => ({ server: this.info.name, connection: id, kind, reason, ms }))
    try {
      await this.behaviour.terminate?.(reason, connection.behaviourState as never)
    } catch (error) {
      this.report(error)
    }
  }

  /** Runs one request to its result. Throws `McpError` only: everything else is masked. */
  async run(request: JSONRPCRequest, source: RequestSource): Promise<Result> {
    const context = new RequestContext(this, request, source)
    const startedAt = performance.now()
    emit('mcp.request.start', () => ({
      ...context.operation(),
      key: context,
      arguments: request.params?.['arguments'],
    }))
    this.#inFlight++
    let result: Result | undefined
    let failure: { error: unknown; told: McpError } | undefined
    try {
      result = await this.#runInTurn(context)
      return result
    } catch (error) {
      const told = context.isCancelled ? cancelled : this.#tell(error)
      failure = { error, told }
      if (request.method === 'tools/call') {
        if (error instanceof DeadlineExceeded) return expired(context, error)
        // Thrown by middleware, which stands outside of the tool.
        if (error instanceof ToolError) return failedResult(error)
      }
      throw told
    } finally {
      this.#inFlight--
      context.finish()
      if (hasListeners('mcp.request.end')) reportEnd(context, { startedAt, result, failure })
    }
  }

  /** Asks the behaviour, as the outermost request or from inside another one. */
  async answer(context: RequestContext): Promise<Result> {
    const { connection } = context.source
    const state = connection === undefined ? await this.#modernState(context) : connection.behaviourState
    const reply = await (this.behaviour as Behaviour<unknown>).handleRequest(context.request, state, context)
    if (connection !== undefined) keepState(connection, reply)
    if (reply[0] === 'error') throw reply[1]
    const result = reply[0] === 'reply' ? reply[1] : await context.answeredLater()
    if (isObject(result)) return result
    throw new ConfigError(
      `The answer to ${context.method} is ${result === undefined ? 'missing' : 'no object'}.`,
      'Return one from its handler and from all middleware, which return what next() gives.',
    )
  }

  noticed(notification: JSONRPCNotification, connection: LiveConnection): void {
    emit('mcp.notification.received', () => ({
      server: this.info.name,
      connection: connection.id,
      method: notification.method,
    }))
    const { handleNotification } = this.behaviour as Behaviour<unknown>
    if (handleNotification === undefined) return
    const handle = async () =>
      this.#keep(
        connection,
        await handleNotification.call(this.behaviour, notification, connection.behaviourState, connection),
      )
    handle().catch((error: unknown) => this.report(error))
  }

  /** Never rejects: whoever sends an event need not wait for it, and an error is reported. */
  async informed(event: unknown, connection: LiveConnection): Promise<void> {
    try {
      const { behaviourState } = connection
      this.#keep(
        connection,
        await (this.behaviour as Behaviour<unknown>).handleInfo?.(event, behaviourState, connection),
      )
    } catch (error) {
      this.report(error)
    }
  }

  /** The error that clients get in place of an unexpected one, as the option `errors` allows. */
  mask(error: unknown): McpError {
    const { errors } = this.settings
    if (errors === 'expose') return new McpError(errorCode.internal, messageOfThrown(error))
    if (typeof errors === 'function') {
      try {
        const text: unknown = errors(error)
        if (typeof text === 'string') return new McpError(errorCode.internal, text)
      } catch (second) {
        // The author's function threw: fall back to the masked error.
        this.report(second)
      }
    }
    const reference = randomBytes(4).toString('hex')
    this.report(error, reference)
    return new McpError(errorCode.internal, `Something went wrong inside the server (reference ${reference}).`)
  }

  /** An error that no client gets to see. It goes to standard error unless a log takes it, so that it is never lost. */
  report(error: unknown, reference?: string): void {
    emit('mcp.error', () => ({ server: this.info.name, error, reference }))
    if (hasErrorReader()) return
    const at = `${this.info.name}${reference === undefined ? '' : ` (reference ${reference})`}`
    writeError(`${at}: ${textOfThrown(error)}\n`)
  }

  /** Registers what to close when no transport serves any more. */
  onIdle(close: () => Promise<void> | void): void {
    this.#closers.push(close)
  }

  /** A transport begins to serve. The function that it returns says that it has ended. */
  began(): () => Promise<void> {
    this.#transports++
    if (this.#transports === 1) emit('mcp.server.start', () => ({ server: this.info.name, version: this.info.version }))
    let hasEnded = false
    return async () => {
      if (hasEnded) return
      hasEnded = true
      this.#transports--
      if (this.#transports > 0) return
      emit('mcp.server.stop', () => ({ server: this.info.name }))
      await this.idle()
    }
  }

  /** Closes what only a serving server needs, such as connections to other servers. They reopen when used. */
  async idle(): Promise<void> {
    const results = await Promise.allSettled(this.#closers.map(async (close) => close()))
    for (const result of results) if (result.status === 'rejected') this.report(result.reason)
  }

  async #runInTurn(context: RequestContext): Promise<Result> {
    const { timeoutMs, concurrency } = this.settings
    const semaphore = concurrency === Infinity ? undefined : context.connection.semaphore
    const turn = semaphore?.acquire(context.signal)
    if (turn !== undefined) await turn
    try {
      const result = await new Promise<Result>((resolve, reject) => {
        context.deadline.start(timeoutMs, reject)
        runInSpan(context, () => this.answer(context)).then(resolve, reject)
      })
      return context.isSuspended ? context.questions.toInputRequired() : result
    } catch (error) {
      if (context.isSuspended) return context.questions.toInputRequired()
      throw error
    } finally {
      semaphore?.release()
    }
  }

  #modernState(context: RequestContext): unknown {
    if (this.behaviour.init === undefined) return undefined
    const { principal, version } = context
    return this.behaviour.init({ client: context.clientSaid(), version, principal })
  }

  /** A notification has no answer, so its error is reported. */
  #keep(connection: LiveConnection, reply: NoReply<unknown>): void {
    keepState(connection, reply)
    if (reply?.[0] === 'error') this.report(reply[1])
  }

  /** What the client is told of an error. */
  #tell(error: unknown): McpError {
    if (error instanceof McpError) return error
    // Outside of a tool there is no result to put the message into, but clients are meant to read it.
    if (error instanceof DeadlineExceeded || error instanceof ToolError) {
      return new McpError(errorCode.internal, error.message)
    }
    return this.mask(error)
  }
}

/** Nobody reads it: the client is gone. */
const cancelled = new McpError(errorCode.internal, 'The client cancelled.')

function reportEnd(
  context: RequestContext,
  ended: { startedAt: number; result?: Result; failure?: { error: unknown; told: McpError } },
): void {
  const { startedAt, result, failure } = ended
  emit('mcp.request.end', () => ({
    ...context.operation(),
    key: context,
    ms: performance.now() - startedAt,
    isError: failure !== undefined || result?.['isError'] === true,
    ...(failure !== undefined && {
      failure: {
        type: typeOfThrown(failure.error),
        code: failure.told.code,
        error: failure.error,
        reference: /\(reference ([0-9a-f]{8})\)/.exec(failure.told.message)?.[1],
      },
    }),
  }))
}

/** What a client is told at the opening, as text to compare. */
export function offersOf(host: Host): string {
  return JSON.stringify([host.sdkOptions(), host.behaviour.extraMethods?.() ?? []])
}

/** A model can do something about a tool that takes too long. */
function expired(context: RequestContext, error: DeadlineExceeded): Result {
  return { content: [{ type: 'text', text: `'${context.target}': ${error.message}` }], isError: true }
}

function keepState(connection: LiveConnection, reply: Reply<unknown> | NoReply<unknown>): void {
  if (reply === undefined) return
  const state = reply[0] === 'noreply' ? reply[1] : reply[2]
  if (state !== undefined) connection.behaviourState = state
}

import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract'
import type { BufferBudget } from '@herma/framework/wire'
import { areOrdinary, FastPool, type OutgoingRequest } from '../../../platform/fast-http/index.ts'
import { Pool } from '../../../platform/network/index.ts'
import {
  encodeHeaderValue,
  mirrorParams,
  modernRevision,
  textAt,
  writeJson,
  writeRequest,
  type Call,
  type Era,
  type Message,
  type Params,
} from '../../../wire/index.ts'
import { sendAuthorized } from '../../authorization/send-authorized.ts'
import { shakeHands } from '../handshake.ts'
import { HttpListener } from './http-listener.ts'
import { HttpPost } from './http-post.ts'
import { Link, type LinkOwner, type Pending } from '../link.ts'
import type { LinkSettings } from '../link-settings.ts'
import type { LinkEnvironment } from '../link-environment.ts'
import { announcedBy, type OwnHub } from '../../connector/own-hub.ts'
import { translateParams } from '../translate-params.ts'

/** Streamable HTTP of both eras, and plain HTTP, which is the same without streams. */
export class HttpLink extends Link {
  readonly pool: Pool
  /** For calls over plain HTTP. */
  readonly #fast: FastPool | null
  readonly path: string
  readonly maxMessageBytes: number
  readonly buffers: BufferBudget
  #headers: string[]
  #ordinaryHeaders: readonly string[] | null = null
  readonly #ownHub: OwnHub | undefined
  /** Whether the server is a hub, to which a call says which hubs it came over. */
  #isHub = false
  #sessionId: string | null = null
  #listener: HttpListener | null = null
  #speaks: Era = 'legacy'
  #hasEnded = false

  constructor(
    settings: LinkSettings,
    owner: LinkOwner,
    { guard, ownHub, buffers, isHttpFast }: Pick<LinkEnvironment, 'guard' | 'ownHub' | 'buffers' | 'isHttpFast'>,
  ) {
    super(settings, owner)
    this.#ownHub = ownHub
    this.buffers = buffers
    const url = settings.url!
    const { handshakeTimeoutMs, maxConcurrency, maxMessageBytes } = settings.options
    // Our own deadlines watch calls, because progress resets them; undici's would not know.
    const connections = maxConcurrency + 8
    const connect = guard.connector({ timeout: Math.min(handshakeTimeoutMs, 10_000) })
    const isOrdinary = isHttpFast === true && url.protocol === 'http:' && areOrdinary(settings.headers)
    this.#fast = isOrdinary ? new FastPool(url, { connections, connect }) : null
    this.pool = new Pool(url.origin, {
      connections,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
    })
    this.path = url.pathname + url.search
    this.maxMessageBytes = maxMessageBytes
    this.#headers = this.#baseHeaders()
  }

  override get era(): Era {
    return this.handshake?.era ?? this.#speaks
  }

  override get mirrorsParams(): boolean {
    return this.era === 'modern'
  }

  get streams(): boolean {
    return this.settings.transport !== 'http'
  }

  async open(knownEra: Era | null): Promise<void> {
    const { name, options, capabilities } = this.settings
    const handshake = await shakeHands({
      name,
      wanted: options.era,
      knownEra,
      capabilities,
      timeoutMs: options.handshakeTimeoutMs,
      isClosed: () => this.isClosed,
      request: (era, method, params, { timeoutMs, signal }) => {
        this.#speaks = era
        this.#sessionId = null
        this.#headers = this.#baseHeaders()
        return this.request(method, params, timeoutMs, signal)
      },
      initialized: (revision) => {
        this.#headers = [...this.#baseHeaders(), 'mcp-protocol-version', revision]
        if (this.#sessionId !== null) this.#headers.push('mcp-session-id', this.#sessionId)
        // Requests go over other sockets and could overtake it; some servers register their tools when they hear it.
        const signal = AbortSignal.timeout(Math.min(options.handshakeTimeoutMs, 5000))
        return this.#deliver({ jsonrpc: '2.0', method: 'notifications/initialized' }, signal)
      },
    })
    this.handshake = { ...handshake, transport: this.settings.transport }
    this.#isHub = this.#ownHub !== undefined && announcedBy(handshake) !== null
    if (this.handshake.era === 'modern')
      this.#headers = [...this.#baseHeaders(), 'mcp-protocol-version', modernRevision]
    if (this.streams) this.#listener = new HttpListener(this)
    this.#listener?.start()
    // What a legacy server asks before its stream is there is lost, and it may ask during the first call.
    if (this.#listener !== null && this.era === 'legacy')
      await Promise.race([this.#listener.answered, sleep(streamWaitMs, undefined, { ref: false })])
  }

  /** Sends the request of a call. */
  dispatch(request: OutgoingRequest, post: HttpPost): void {
    if (this.#fast !== null && this.#isOrdinary(request.headers)) this.#fast.dispatch(request, post)
    else this.pool.dispatch({ ...request, method: 'POST', headers: [...request.headers] }, post)
  }

  /** Most calls have the very same headers, which are looked at once. */
  #isOrdinary(headers: readonly string[]): boolean {
    if (headers === this.#ordinaryHeaders) return true
    if (!areOrdinary(headers)) return false
    this.#ordinaryHeaders = headers
    return true
  }

  send(call: Call): void {
    const id = this.nextId()
    const params = translateParams(call, this.era, id)
    const body = writeRequest(call, id, params)
    const headers = this.requestHeaders(call, params)
    if (!this.#isHub || !mirroredName.has(call.method)) return new HttpPost(this, { id, call, body, headers }).start()
    try {
      const via = ['herma-via', this.#ownHub!.viaHeader(call)]
      new HttpPost(this, { id, call, body, headers: [...headers, ...via] }).start()
    } catch (error) {
      call.fail(error as HubError)
    }
  }

  requestHeaders(call: Call, params: Params | undefined): string[] {
    const trace = call.traceparent == null ? [] : ['traceparent', call.traceparent]
    if (this.era === 'legacy') {
      // The server may turn out to be a modern one, which wants this of every request.
      if (this.handshake === null) return [...this.#headers, ...trace, 'mcp-method', call.method]
      return trace.length === 0 ? this.#headers : [...this.#headers, ...trace]
    }
    const headers = [...this.#headers, ...trace, 'mcp-method', call.method]
    if (this.handshake === null) headers.push('mcp-protocol-version', modernRevision)
    const name = params?.['name'] ?? params?.['uri']
    if (mirroredName.has(call.method)) {
      if (typeof name === 'string') headers.push('mcp-name', encodeHeaderValue(name))
    } else if (call.nameHeader !== null) headers.push('mcp-name', call.nameHeader)
    if (call.paramHeaders !== null) {
      const textOf = (path: readonly string[]) => textAt(call.message, ['params', 'arguments', ...path])
      headers.push(...mirrorParams(call.paramHeaders, params?.['arguments'], textOf))
    }
    return headers
  }

  /** Sends a notification or an answer; nobody waits for it, so a failure is only remarked. */
  post(message: Message): void {
    void this.#deliver(message)
  }

  async #deliver(message: Message, signal: AbortSignal | null = null): Promise<void> {
    const more = this.era === 'modern' && 'method' in message ? ['mcp-method', message.method] : []
    try {
      const body = writeJson(message)
      const send = () => {
        const headers = [...this.ownHeaders(), ...more]
        return this.pool.request({ path: this.path, method: 'POST', headers, body, signal })
      }
      const response = await sendAuthorized(this.settings.authorization, send)
      await response.body.dump()
    } catch (error) {
      this.owner.onRemark(`could not deliver a message: ${(error as Error).message}`)
    }
  }

  get headers(): readonly string[] {
    return this.#headers
  }

  /** The Authorization header of a sign-in, as of now. */
  authorization(): string | null {
    return this.settings.authorization === null ? null : this.settings.authorization.header()
  }

  /** The headers of a request that is no call. */
  ownHeaders(): string[] {
    const authorization = this.authorization()
    return authorization === null ? [...this.#headers] : [...this.#headers, 'authorization', authorization]
  }

  /** Keeps the session id that the answer to initialize brought. */
  acceptSession(sessionId: string): void {
    if (this.handshake === null) this.#sessionId = sessionId
  }

  get hasSession(): boolean {
    return this.#sessionId !== null
  }

  override finish(pending: Pending, error: HubError | null): void {
    super.finish(pending, error)
    if (error === null) this.#listener?.hurry()
    if (this.isClosed && !this.#hasEnded && this.pending.size === 0) void this.#end()
  }

  subscribe(uris: ReadonlySet<string>, added: string | null, removed: string | null): void {
    if (this.era === 'modern') this.#listener?.listenTo(uris)
    else this.changeSubscription(added, removed)
  }

  /** The session is gone or the server is away; the owner opens another link when one is needed. */
  lose(cause: HubError): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#listener?.stop()
    this.owner.onClosed(this, cause)
  }

  /** Calls under way may still be answered on their own streams; the connections close when the last one is. */
  override async retire(): Promise<void> {
    this.isClosed = true
    this.#listener?.stop()
    if (this.pending.size === 0) await this.#end()
  }

  override get hasEnded(): boolean {
    return this.#hasEnded
  }

  async #end(): Promise<void> {
    this.#hasEnded = true
    this.#fast?.destroy()
    await this.pool.destroy()
  }

  async close(): Promise<void> {
    const wasClosed = this.isClosed
    this.isClosed = true
    this.#listener?.stop()
    this.failPending(
      new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.settings.name}' was stopped. The call may have run.`),
    )
    if (!wasClosed && this.#sessionId !== null) await this.#deleteSession()
    await this.#end()
  }

  // The server frees what it holds for us; one that does not answer must not hold up the stop.
  async #deleteSession(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(1000)
      const response = await this.pool.request({
        path: this.path,
        method: 'DELETE',
        headers: this.ownHeaders(),
        signal,
      })
      await response.body.dump()
    } catch (error) {
      this.owner.onRemark(`DELETE of the session: ${(error as Error).message}`)
    }
  }

  #baseHeaders(): string[] {
    const accept = this.settings.transport === 'http' ? 'application/json' : 'application/json, text/event-stream'
    return ['content-type', 'application/json', 'accept', accept, ...this.settings.headers]
  }
}

/** Some servers send the head of a stream with its first event only. */
const streamWaitMs = 300

const mirroredName: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get'])

import { HubError } from '@herma/contract'
import type { Dispatcher } from 'undici'
import {
  isObject,
  jsonProblem,
  markMembers,
  peekAnswerId,
  readJson,
  SseParser,
  toMessage,
  writeJson,
  type Call,
  type RpcError,
} from '../../../wire/index.ts'
import type { ResponseHandler } from '../../../platform/fast-http/index.ts'
import { freeBytes, type Reservation } from '@herma/framework/wire'
import { isChallenge } from '../../authorization/challenge.ts'
import type { HttpLink } from './http-link.ts'
import { withoutContent } from './http-listener.ts'
import { handshakeMethods, toErrorText, type Pending } from '../link.ts'
import { retryAfterData } from './retry-after.ts'

interface PostOptions {
  readonly id: number
  readonly call: Call
  readonly body: string
  readonly headers: string[]
}

/** How often in a row a stream is continued that brings nothing new, and how long to wait unless the server says. */
const maxResumes = 10
const resumeAfterMs = 1000
/** Answers from this size on are passed through while they arrive. */
const streamFromBytes = 65_536

/**
 * One request and its answer over HTTP. It is undici's dispatch handler itself, in the raw form: no promise, no stream
 * object and no header map per call, because this is the hot path.
 */
export class HttpPost implements Pending, ResponseHandler, Dispatcher.DispatchHandler {
  readonly id: number
  readonly call: Call
  readonly startedAt = performance.now()
  lastActivityAt = this.startedAt
  asking = 0
  readonly #link: HttpLink
  readonly #body: string
  readonly #headers: string[]
  #abort: ((error?: Error) => void) | null = null
  #resume = doNothing
  #mode: 'whole' | 'passing' | 'events' | 'refused' = 'whole'
  #status = 0
  #length = -1
  #chunks: Buffer[] = []
  #size = 0
  /** What is kept of a large answer that cannot be passed on yet. */
  #reservation: Reservation | null = null
  #parser: SseParser | null = null
  #isConnected = false
  #lastEventId: string | undefined
  #resumes = 0
  /** The Authorization header that went with the request. */
  #sent: string | null = null
  #challenge: string | null = null
  #retryAfter: string | null = null
  /** Refusals that a new token was got for: one of each kind. */
  #renewedAfter: number[] | null = null

  constructor(link: HttpLink, options: PostOptions) {
    this.#link = link
    this.id = options.id
    this.call = options.call
    this.#body = options.body
    this.#headers = options.headers
  }

  start(): void {
    this.#link.pending.set(this.id, this)
    this.call.runner = this
    if (this.#link.settings.authorization?.isStale) void this.#renew(null)
    else this.#dispatch()
  }

  #dispatch(): void {
    this.#sent = this.#link.authorization()
    const headers = this.#sent === null ? this.#headers : [...this.#headers, 'authorization', this.#sent]
    this.#link.dispatch({ path: this.#link.path, headers, body: this.#body }, this)
  }

  get connector(): string {
    return this.#link.settings.name
  }

  get connectorId(): string {
    return this.#link.settings.connectorId
  }

  cancel(reason: string): void {
    if (!this.#link.pending.has(this.id)) return
    this.#link.giveUp(this)
    // A legacy server learns it from a message, a modern one from the closed stream.
    if (this.#link.era === 'legacy' && !handshakeMethods.has(this.call.method)) {
      this.#link.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: this.id, reason } })
    }
    this.#abort?.(new Error(reason))
  }

  doubt(): void {
    this.#link.owner.onDoubt(this.#link)
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort
    this.#isConnected = true
    if (!this.#link.pending.has(this.id)) abort(new Error('cancelled'))
  }

  /** As undici tells it. */
  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    this.onHead(status, readRawHeaders(raw), resume)
    return true
  }

  onHead(status: number, headers: readonly string[], resume: () => void): void {
    this.#resume = resume
    this.#status = status
    this.#mode = status === 200 ? 'whole' : 'refused'
    for (let index = 0; index < headers.length; index += 2) {
      const value = headers[index + 1]!
      switch (headers[index]!) {
        case 'content-length':
          this.#length = Number(value)
          break
        case 'content-type':
          if (status === 200 && value.startsWith('text/event-stream')) this.#readEvents()
          break
        case 'mcp-session-id':
          this.#link.acceptSession(value)
          break
        case 'www-authenticate':
          if (status === 401 || status === 403) this.#challenge ??= value
          break
        case 'retry-after':
          if (status >= 400) this.#retryAfter ??= value
          break
        default:
      }
    }
    if (this.#length > this.#link.maxMessageBytes) this.#refuseSize()
  }

  onData(chunk: Buffer): boolean {
    if (this.#mode !== 'whole' || this.#chunks.length > 0) this.lastActivityAt = performance.now()
    if (this.#mode === 'events') return this.#takeEvents(chunk)
    this.#size += chunk.length
    if (this.#size > this.#link.maxMessageBytes) {
      this.#refuseSize()
      return true
    }
    if (this.#mode === 'passing') return this.call.continueRespond(chunk, this.#resume)
    this.#chunks.push(chunk)
    if (this.#mode === 'whole' && this.#isLarge(chunk) && this.#begin(chunk)) return true
    return this.#keep(this.#size)
  }

  /** Of an answer without a length it is not known whether it will be too large, which its client shall be told. */
  #isLarge(chunk: Buffer): boolean {
    return this.#chunks.length === 1 && this.#length > streamFromBytes && this.#length > chunk.length
  }

  /** Passes the answer on from its begin, where its client can take it so. */
  #begin(chunk: Buffer): boolean {
    if (!this.call.beginRespond(chunk, this.id, this.#link.era, this.#length)) return false
    this.#mode = 'passing'
    this.#chunks = []
    return true
  }

  /** Counts what is kept until the rest is there; false pauses the reading. */
  #keep(size: number): boolean {
    if (size <= freeBytes) return true
    this.#reservation ??= this.#link.buffers.reserve(() => this.#resume())
    return this.#reservation.take(size - this.#reservation.bytes)
  }

  #dropReservation(): void {
    this.#reservation?.close()
    this.#reservation = null
  }

  #takeEvents(chunk: Buffer): boolean {
    try {
      this.#parser!.push(chunk)
    } catch (error) {
      this.#fail(this.#error('ANSWER_TOO_LARGE', `was cut off: ${toErrorText(error)}`, error))
    }
    const { unfinishedBytes } = this.#parser!
    if (unfinishedBytes <= freeBytes) this.#dropReservation()
    return !this.#link.pending.has(this.id) || this.#keep(unfinishedBytes)
  }

  /** The call is over: nothing is kept for it any more. */
  onOver(): void {
    this.#dropReservation()
  }

  onComplete(): void {
    if (!this.#link.pending.has(this.id)) return
    if (this.#mode === 'passing') {
      this.#link.finish(this, null)
      this.call.endRespond()
    } else if (this.#mode === 'events') {
      if (this.#resumeStream()) {
        if (this.#parser?.retryMs !== undefined) this.call.pause?.(this.#parser.retryMs)
        return
      }
      this.#fail(this.#error('DOWNSTREAM_FAILED', 'closed its stream without an answer. The call may have run.'))
    } else if (this.#mode === 'refused') {
      this.#answerRefusal()
    } else {
      this.#answer(this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks))
    }
  }

  onError(error: Error): void {
    if (!this.#link.pending.has(this.id)) return
    if (this.#mode === 'passing') {
      this.#link.finish(this, this.#error('DOWNSTREAM_FAILED', toErrorText(error)))
      this.call.endRespond(error)
    } else if (this.#mode === 'events' && this.#resumeStream()) {
      // The server keeps the events for us; nothing is lost and nothing is sent twice.
    } else if (!this.#isConnected) {
      // Not a byte was written, so the server cannot have run it.
      const code = error instanceof HubError ? error.code : 'DOWNSTREAM_UNAVAILABLE'
      const cause = this.#error(code, `cannot be reached: ${toErrorText(error)}`, error)
      this.#link.finish(this, cause)
      this.#link.unsent(this.call, cause)
    } else {
      this.#fail(
        this.#error('DOWNSTREAM_FAILED', `broke the connection: ${toErrorText(error)}. The call may have run.`, error),
      )
    }
  }

  #readEvents(): void {
    this.#mode = 'events'
    this.#parser = new SseParser((event) => {
      if (event.id !== undefined) this.#lastEventId = event.id
      if (event.data.length > 0) this.#resumes = 0
      if (event.data.length > 0 && this.#link.pending.has(this.id)) this.#answer(event.data)
    }, this.#link.maxMessageBytes)
  }

  /**
   * A legacy server may close a stream before its answer and expect us back, as a network may by accident. A stream
   * with event ids is then continued by GET. False when it cannot be.
   */
  #resumeStream(): boolean {
    if (this.#lastEventId === undefined || this.#link.era === 'modern' || this.#resumes >= maxResumes) return false
    const authorization = this.#link.authorization()
    const headers = [
      ...withoutContent(this.#link.headers),
      ...(authorization === null ? [] : ['authorization', authorization]),
      'accept',
      'text/event-stream',
      'last-event-id',
      this.#lastEventId,
    ]
    this.#resumes++
    this.#isConnected = true
    setTimeout(() => {
      if (!this.#link.pending.has(this.id)) return
      this.#link.pool.dispatch({ path: this.#link.path, method: 'GET', headers }, this)
    }, this.#parser?.retryMs ?? resumeAfterMs)
    return true
  }

  /** Takes a whole message: the answer, or on a stream something about it. */
  #answer(bytes: Buffer): void {
    if (peekAnswerId(bytes) === this.id) return this.#link.answer(this, bytes)
    try {
      const value = readJson(bytes.toString('utf8'))
      // Servers of 2025-03-26 may send several messages as one array.
      if (Array.isArray(value) && value.length > 0) {
        for (const message of value) this.#answer(Buffer.from(writeJson(message)))
        return
      }
      const message = toMessage(value)
      if ('method' in message) {
        if (this.#mode === 'events') return this.#link.receive(message, this)
        throw new Error(`sent the message ${message.method} instead of an answer`)
      }
      if (message.id === this.id) return this.#link.answer(this, bytes)
      if (this.#mode === 'events') return this.#link.receive(message, this)
      throw new Error(`answered the id ${JSON.stringify(message.id)} instead of ${this.id}`)
    } catch (error) {
      this.#fail(this.#error('DOWNSTREAM_FAILED', `did not answer in JSON-RPC: ${jsonProblem(error)}`, error))
    }
  }

  /** An HTTP error: with a JSON-RPC error inside where the server speaks MCP, with nothing to read otherwise. */
  #answerRefusal(): void {
    if (this.#link.settings.authorization !== null && isChallenge(this.#status, this.#challenge))
      return void this.#renew(this.#status)
    const body = Buffer.concat(this.#chunks).toString('utf8')
    const error = readError(body)
    const isHandshake = this.#link.handshake === null
    if (isHandshake) this.#link.refusal = { status: this.#status, isRpc: error !== null }
    const isSessionLost =
      this.#link.hasSession &&
      (this.#status === 404 || (this.#status === 400 && /session/i.test(error?.message ?? body)))
    if (isSessionLost && !isHandshake) {
      const cause = this.#error('DOWNSTREAM_UNAVAILABLE', 'forgot the session')
      this.#link.finish(this, null)
      this.#link.lose(cause)
      return this.#link.unsent(this.call, cause)
    }
    if (error !== null) {
      this.#link.finish(this, null)
      return this.call.failWith(error, this.#link.era)
    }
    if (this.#status === 202 || this.#status === 204) {
      return this.#fail(
        this.#error('DOWNSTREAM_FAILED', `answered HTTP ${this.#status} without an answer to ${this.call.method}`),
      )
    }
    // A server may not know the path of a modern request and still be there for an older one.
    const isAway = this.#status >= 500 || this.#status === 429 || (this.#status === 404 && !isHandshake)
    const code = isAway ? 'DOWNSTREAM_UNAVAILABLE' : 'DOWNSTREAM_FAILED'
    const text = `'${this.connector}' answered HTTP ${this.#status}${hint(this.#status)}`
    this.#fail(new HubError(code, text, { data: retryAfterData(this.#retryAfter) }))
  }

  /** The server refused the call, or would: it did not run, so it is sent again with another token. */
  async #renew(status: number | null): Promise<void> {
    const [header, sent] = [this.#challenge, this.#sent]
    if (status !== null && this.#renewedAfter?.includes(status)) {
      const next = `Run: herma login ${this.#link.settings.name}`
      return this.#fail(this.#error('SIGN_IN_REQUIRED', `answered HTTP ${status} to a new token too. ${next}`))
    }
    if (status !== null) this.#renewedAfter = [...(this.#renewedAfter ?? []), status]
    try {
      await this.#link.settings.authorization!.renew(status === null ? null : { status, header, sent })
    } catch (error) {
      return this.#fail(error as HubError)
    }
    if (!this.#link.pending.has(this.id)) return
    if (this.#link.hasEnded) return this.#fail(this.#error('DOWNSTREAM_UNAVAILABLE', 'was stopped.'))
    this.lastActivityAt = performance.now()
    this.#abort = null
    this.#isConnected = false
    this.#chunks = []
    this.#size = 0
    this.#length = -1
    this.#dispatch()
  }

  #refuseSize(): void {
    const limit = this.#link.maxMessageBytes
    this.#fail(
      this.#error(
        'ANSWER_TOO_LARGE',
        `sent more than ${limit} bytes. Raise it with: herma edit ${this.#link.settings.name} --option maxMessageBytes=N`,
      ),
    )
  }

  #fail(error: HubError): void {
    if (!this.#link.pending.has(this.id)) return
    this.#link.finish(this, error)
    // What was passed on so far is cut off, since the rest will not come.
    if (this.#mode === 'passing') this.call.endRespond(error)
    else if (error.code === 'SIGN_IN_REQUIRED') this.#link.owner.onSignInRequired(this.call, error)
    else this.call.fail(error)
    this.#abort?.(error)
  }

  #error(code: HubError['code'], text: string, cause?: unknown): HubError {
    return new HubError(code, `'${this.#link.settings.name}' ${text}`, { cause })
  }
}

/** Names in lower case, and values, in turn. */
function readRawHeaders(raw: readonly Buffer[]): string[] {
  return raw.map((text, index) => (index % 2 === 0 ? text.toString('latin1').toLowerCase() : text.toString('latin1')))
}

/** Until the first headers there is nothing to resume. */
function doNothing(): void {}

function readError(text: string): RpcError | null {
  try {
    const value = readJson(text)
    markMembers(value)
    const error = isObject(value) ? value['error'] : undefined
    if (isObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string')
      return error as unknown as RpcError
  } catch {
    // A page or plain text from something that is not an MCP server; the status says enough.
  }
  return null
}

function hint(status: number): string {
  if (status >= 300 && status < 400) return ': it redirects. Use the address that it leads to as base URL'
  if (status === 401 || status === 403) return ': it wants credentials. Set them with --header'
  if (status === 404 || status === 405) return ': is the path right?'
  return ''
}

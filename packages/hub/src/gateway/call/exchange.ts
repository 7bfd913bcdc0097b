import type { IncomingHttpHeaders } from 'node:http'
import { errorCodes, HubError, type Capture, type ErrorCode, type Principal } from '@herma/contract'
import {
  AnswerTail,
  beginsWithResult,
  isUnknownError,
  jsonProblem,
  mentionsUnknown,
  passesLog,
  piecesLength,
  readAnswerError,
  readInputRequired,
  rewriteAnswer,
  rewriteHead,
  rewriteModernAnswer,
  rewriteModernHead,
  toIdValue,
  translateError,
  urlElicitationRequired,
  writeJson,
  type Answer,
  type Call,
  type Caller,
  type Era,
  type NotificationMessage,
  type Outcome,
  type ParamHeader,
  type Params,
  type Pieces,
  type Question,
  type RawJson,
  type RequestId,
  type RequestMessage,
  type RpcError,
  type CallRunner,
} from '../../wire/index.ts'
import type { ShapedEntry, ShapedTool } from '../../catalog/index.ts'
import type { CallRecorder } from './call-recorder.ts'
import type { Connection } from '../connection/connection.ts'
import type { ResponseSink } from '../transport/sink/response-sink.ts'
import type { Parking } from './parking.ts'
import { Refused } from './permission.ts'
import type { TraceContext } from './trace-context.ts'

/** Keeps the exchanges that have a client waiting. */
export interface ExchangeTable {
  readonly parking: Parking
  readonly recorder: CallRecorder
  /** Without the secrets that a server may have put into its error. */
  redact?(error: RpcError): RpcError
  add(exchange: Exchange): void
  remove(exchange: Exchange): void
}

/** A request as it came. */
export interface IncomingRequest {
  readonly message: RequestMessage
  readonly caller: Caller
  readonly principal: Principal
  readonly connection: Connection | null
  readonly headers: IncomingHttpHeaders
  readonly transport: 'stream' | 'sse' | 'rpc'
  /** Length of the request; null for one of a batch. */
  readonly bytes: number | null
  /** Whether the request truly comes from this machine. */
  readonly isLocal: boolean
  readonly sink: ResponseSink
}

/**
 * One request of a client and everything that goes back for it. Its sink can change: a call of a modern client that is
 * asked for input goes on without one, until the client comes back with the answers.
 */
export class Exchange implements Call {
  readonly number: number
  readonly method: string
  message: RequestMessage
  params: Params | undefined
  caller: Caller
  readonly principal: Principal
  readonly headers: IncomingHttpHeaders
  readonly transport: IncomingRequest['transport']
  readonly bytes: number | null
  readonly isLocal: boolean
  /** Milliseconds since 1970. */
  readonly startedAt = Date.now()
  readonly begunAt = performance.now()
  trace: TraceContext | null = null
  traceparent: string | null = null
  /** The hubs that passed it on to this one. */
  get via(): string | undefined {
    const via = this.headers['herma-via']
    return typeof via === 'string' ? via : undefined
  }
  /** Set when the messages of this request are recorded. */
  capture: Capture | null = null
  /** Masks what is told in pieces, where bodies are recorded. */
  pieces: { push(piece: string): string } | null = null
  responseBytes = 0
  isToolError = false
  errorCode: string | null = null
  errorText: string | null = null
  /** One of the calls that the principal may have under way. */
  turn: { release(): void } | null = null
  paramHeaders: readonly ParamHeader[] | null = null
  readonly nameHeader: string | null
  /** What the client named: a tool by the name that it has, once that is known, however the client spelled it. */
  target: unknown
  /** The tool or prompt that the target was found to be. */
  entry: ShapedTool | ShapedEntry | null = null
  /** The connector whose call a retry continues. */
  resumedAt: string | null = null
  isDone = false
  isAgain = false
  /** Told the answer of the server as it came, when somebody wants to look at it. */
  onAnswer: ((answer: Buffer) => void) | null = null
  runner: CallRunner | null = null
  onDone: ((outcome: Outcome) => void) | null = null
  readonly #connection: Connection | null
  readonly #table: ExchangeTable
  #sink: ResponseSink | null
  /** The end of a call that came while no client was there to take it. */
  #held: ((exchange: Exchange) => void) | null = null
  #questions: AbortController | null = null
  /** The end of a large answer that is translated while it passes. */
  #tail: AnswerTail | null = null
  #lastChunk: Buffer = nothing

  /** `number` tells it from the other exchanges of the hub. */
  constructor(number: number, arrival: IncomingRequest, table: ExchangeTable) {
    const { message, caller, connection, headers, sink } = arrival
    this.principal = arrival.principal
    this.transport = arrival.transport
    this.bytes = arrival.bytes
    this.isLocal = arrival.isLocal
    this.number = number
    this.method = message.method
    this.message = message
    this.params = message.params
    this.caller = caller
    this.headers = headers
    const name = headers['mcp-name']
    this.nameHeader = caller.era === 'modern' && typeof name === 'string' ? name : null
    this.target = message.params?.['name'] ?? message.params?.['uri']
    this.#connection = connection
    this.#table = table
    this.#sink = sink
    sink.onGone = () => this.#onGone()
    connection?.exchanges.set(sink.id, this)
    table.add(this)
    table.recorder.begin(this)
  }

  get recorder(): CallRecorder {
    return this.#table.recorder
  }

  /** The id that the client gave its request. */
  get clientId(): RequestId | RawJson {
    return toIdValue(this.message.id, this.#sink!.clientId)
  }

  get sink(): ResponseSink | null {
    return this.#sink
  }

  /** True while the call waits for its client to come back. */
  get isParked(): boolean {
    return this.#sink === null && !this.isDone
  }

  /** Bytes of an answer that waits for its client. */
  heldBytes = 0

  respond(bytes: Buffer, id: number, from: Era): void {
    if (this.isDone) return
    const sink = this.#sink
    if (sink === null) return this.#hold((exchange) => exchange.respond(bytes, id, from), bytes.length)
    let pieces: Pieces | null
    try {
      if (from !== this.caller.era) {
        const error = readAnswerError(bytes)
        if (error !== null) return this.failWith(error, from)
      } else if (from === 'modern') {
        const input = readInputRequired(bytes)
        if (input !== null) return this.#passInputRequired(this.#table.parking.wrap(this, input))
      }
      pieces =
        from === 'modern' && this.caller.era === 'legacy'
          ? rewriteModernAnswer(bytes, id, sink.clientId)
          : rewriteAnswer(bytes, id, sink.clientId, this.#added(from))
    } catch (cause) {
      return this.#failBy('DOWNSTREAM_FAILED', `did not answer in JSON: ${jsonProblem(cause)}`, cause)
    }
    if (pieces === null) return this.#failBy('DOWNSTREAM_FAILED', 'answered something else.')
    this.onAnswer?.(bytes)
    this.#inspect(bytes)
    this.#finish(pieces)
  }

  #failBy(code: ErrorCode, what: string, cause?: unknown): void {
    this.fail(new HubError(code, `'${this.runner?.connector ?? 'The server'}' ${what}`, { cause }))
  }

  beginRespond(chunk: Buffer, id: number, from: Era, length: number): boolean {
    // A body that is recorded has to be there as a whole.
    if (this.isDone || this.#sink === null || this.capture?.level === 'bodies') return false
    const pieces = this.#begin(chunk, id, from)
    if (pieces === null) return false
    this.responseBytes = piecesLength(pieces) + length - chunk.length
    const { body: begin } = pieces
    const isTranslated = from === 'modern' && this.caller.era === 'legacy'
    const tail = isTranslated ? new AnswerTail(begin!.length + length - chunk.length) : null
    const body = tail === null ? begin : Buffer.concat(tail.push(begin!))
    if (!this.#sink.begin({ ...pieces, body }, this.responseBytes)) return false
    this.#tail = tail
    this.#inspect(chunk)
    return true
  }

  /** Null for an answer that has to be there as a whole: one that may be a question or an error, above all. */
  #begin(chunk: Buffer, id: number, from: Era): Pieces | null {
    const { clientId } = this.#sink!
    const { era } = this.caller
    if (from === 'modern' && era === 'legacy') return rewriteModernHead(chunk, id, clientId)
    if (from !== era && !beginsWithResult(chunk, id)) return null
    if (from === 'modern' && !chunk.includes(completeResult)) return null
    return rewriteHead(chunk, id, clientId, this.#added(from))
  }

  continueRespond(chunk: Buffer, onDrain: () => void): boolean {
    const sink = this.#sink
    if (this.isDone || sink === null) return true
    this.#lastChunk = chunk
    if (this.#tail === null) return sink.continue(chunk, onDrain)
    let hasRoom = true
    for (const part of this.#tail.push(chunk)) hasRoom = sink.continue(part, onDrain)
    return hasRoom
  }

  endRespond(error?: Error): void {
    if (this.isDone) return
    if (saysToolError(this.#lastChunk)) this.isToolError = true
    this.#sink?.end(error)
    this.#end(error === undefined ? 'answered' : 'failed')
    this.#releaseTurn()
  }

  /** Answers with a result of the hub's own. */
  result(result: object): void {
    this.resultPieces({ head: writeJson(result).slice(1), body: null, tail: '' })
  }

  /** Like `result`, with the members after the opening brace given as pieces. */
  resultPieces(pieces: Pieces): void {
    if (this.isDone) return
    if (this.#sink === null) return this.#hold((exchange) => exchange.resultPieces(pieces), piecesLength(pieces))
    const modern =
      this.caller.era === 'modern' ? `"resultType":"complete"${pieces.head.startsWith('}') ? '' : ','}` : ''
    const head = `{"jsonrpc":"2.0","id":${this.#sink.clientId},"result":{${modern}`
    this.#finish({ head: head + pieces.head, body: pieces.body, tail: `${pieces.tail}}` })
  }

  fail(error: HubError): void {
    const { rpc } = errorCodes[error.code]
    // 2026-07-28 says -32602 where earlier revisions say -32002.
    const code = rpc === -32002 && this.caller.era === 'modern' ? -32602 : rpc
    this.errorCode = error.code
    const reply = error instanceof Refused ? error : undefined
    this.#failNow({ code, message: error.message, ...(error.data !== undefined && { data: error.data }) }, reply)
  }

  failWith(error: RpcError, from: Era): void {
    const { era } = this.caller
    if (isUnknownError(error)) this.runner?.doubt?.()
    if (from === 'legacy' && era === 'modern' && error.code === urlElicitationRequired) {
      if (this.#sink === null) return this.#hold((exchange) => exchange.failWith(error, from))
      return this.#table.parking.requireUrls(this, error)
    }
    this.#failNow(from === era ? error : translateError(error, this.method, era))
  }

  #failNow(given: RpcError, reply?: Refused): void {
    if (this.isDone) return
    const error = this.#redact(given)
    this.errorCode ??= String(error.code)
    this.errorText = error.message
    if (this.#sink === null) return this.#hold((exchange) => exchange.#failNow(error, reply))
    const head = `{"jsonrpc":"2.0","id":${this.#sink.clientId},"error":${writeJson(error)}}`
    this.#finish({ head, body: null, tail: '' }, reply?.status ?? statusOf(error.code, this.caller.era), reply?.headers)
  }

  /** An error in which no secret is found stays itself, and so keeps its text. */
  #redact(error: RpcError): RpcError {
    const redacted = this.#table.redact?.(error) ?? error
    return JSON.stringify(redacted) === JSON.stringify(error) ? error : redacted
  }

  notify(message: NotificationMessage): boolean {
    if (this.isDone || this.#sink === null) return true
    if (message.method === 'notifications/message' && !passesLog(message.params, this.caller)) return true
    this.#table.recorder.part(this, message)
    return this.#sink.send(message)
  }

  pause(retryMs: number): void {
    if (!this.isDone) this.#sink?.pause?.(retryMs)
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (this.isDone) return Promise.resolve({ error: { code: -32603, message: 'The call is over.' } })
    this.#questions ??= new AbortController()
    const withdrawn = AbortSignal.any([signal, this.#questions.signal])
    const until = question.isStray === true && this.#connection !== null ? signal : withdrawn
    return this.#table.recorder.question(this, question, this.#put(question, until))
  }

  #put(question: Question, until: AbortSignal): Promise<Answer> {
    if (this.#connection === null) return this.#table.parking.ask(this, question, until)
    const sink = this.#sink!
    return this.#connection.ask(question, (message) => sink.send(message), until)
  }

  /** Sends the client away with questions; the call goes on without it. */
  park(result: object): void {
    const sink = this.#sink!
    this.#sink = null
    sink.onGone = null
    this.#table.remove(this)
    sink.finish(toInputRequired(sink, result), 200)
  }

  /** Gives the sink of a retry to the call that it continues. */
  handOver(parked: Exchange): void {
    const sink = this.#sink!
    this.isDone = true
    this.#sink = null
    this.#table.remove(this)
    parked.#attach(sink, this)
  }

  #attach(sink: ResponseSink, retry: Exchange): void {
    this.#sink = sink
    sink.onGone = () => this.#onGone()
    this.caller = retry.caller
    // Progress goes to the token of the request that is open now.
    this.message = retry.message
    this.params = { ...this.params, _meta: retry.params?.['_meta'] }
    this.#table.add(this)
    const held = this.#held
    this.#held = null
    this.heldBytes = 0
    held?.(this)
  }

  #hold(end: (exchange: Exchange) => void, bytes = 0): void {
    this.#held = end
    this.heldBytes = bytes
    this.#table.parking.onHeld(this)
  }

  /** Forgets an answer that cannot be kept. */
  dropHeld(error: HubError): void {
    this.heldBytes = 0
    this.#held = (exchange) => exchange.fail(error)
  }

  #passInputRequired(result: object): void {
    this.#finish(toInputRequired(this.#sink!, result))
  }

  /** Answers a call that has ended for its server, and that the client shall send again. */
  requireInput(result: object): void {
    if (!this.isDone) this.#passInputRequired(result)
  }

  /** The client gives up. Nothing is sent any more. */
  cancel(reason: string): void {
    if (this.isDone) return
    const sink = this.#sink
    this.#end('cancelled')
    this.runner?.cancel(reason)
    sink?.close()
    this.#releaseTurn()
  }

  #onGone(): void {
    if (this.isDone) return
    this.#end('cancelled')
    this.runner?.cancel('the client closed its stream')
    this.#releaseTurn()
  }

  #added(from: Era): string {
    if (this.caller.era === 'legacy' || from === 'modern') return ''
    return this.method === 'resources/read'
      ? '"resultType":"complete","ttlMs":0,"cacheScope":"private"'
      : '"resultType":"complete"'
  }

  #finish(pieces: Pieces, status = 200, headers?: readonly string[]): void {
    const sink = this.#sink
    if (this.isDone || sink === null) return
    this.responseBytes = piecesLength(pieces)
    this.#table.recorder.sent(this, pieces)
    this.#end(status === 200 ? 'answered' : 'failed')
    sink.finish(pieces, status, headers)
    this.#releaseTurn()
  }

  #end(outcome: Outcome): void {
    this.isDone = true
    if (this.#sink !== null) this.#connection?.exchanges.delete(this.#sink.id)
    this.#table.remove(this)
    if (this.#questions !== null) {
      this.#questions.abort(new HubError('DOWNSTREAM_FAILED', 'The call is over.'))
      this.#table.parking.forget(this)
    }
    this.onDone?.(outcome)
    this.#table.recorder.end(this, outcome)
  }

  /** A call counts as under way until its answer has left, or unread answers would be without number. */
  #releaseTurn(): void {
    if (this.turn === null) return
    if (this.#sink?.releaseWhenLeft === undefined) this.turn.release()
    else this.#sink.releaseWhenLeft(this.turn)
  }

  /** What an answer that passes unread says of itself. Inside of a string the quotes would be escaped. */
  #inspect(bytes: Buffer): void {
    const isSmall = bytes.length <= 2 * edgeBytes
    const begin = bytes.toString('latin1', 0, isSmall ? bytes.length : edgeBytes)
    const end = isSmall ? begin : bytes.toString('latin1', bytes.length - edgeBytes)
    this.isToolError = end.includes(toolError)
    if (begin.includes('"error":{"code":')) this.errorCode = 'ANSWERED_ERROR'
    if ((this.isToolError || this.errorCode !== null) && mentionsUnknown(begin)) this.runner?.doubt?.()
  }
}

/** How much of an answer is looked at, from its begin and its end. */
const edgeBytes = 256
const nothing = Buffer.alloc(0)
const completeResult = Buffer.from('"resultType":"complete"')
const toolError = '"isError":true'

function saysToolError(end: Buffer): boolean {
  return end.toString('latin1', Math.max(0, end.length - edgeBytes)).includes(toolError)
}

function toInputRequired(sink: ResponseSink, result: object): Pieces {
  return {
    head: `{"jsonrpc":"2.0","id":${sink.clientId},"result":${writeJson(result)}}`,
    body: null,
    tail: '',
  }
}

// Errors of a handler stay in-band; only those that the specification ties to a status get one.
function statusOf(code: number, era: Era): number {
  if (era === 'legacy') return 200
  if (code === -32601) return 404
  return code <= -32020 && code >= -32022 ? 400 : 200
}

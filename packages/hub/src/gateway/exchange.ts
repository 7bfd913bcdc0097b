import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { errorCodes, HubError, type ErrorCode } from '@herma/contract'
import {
  jsonProblem,
  piecesLength,
  rewriteAnswer,
  rewriteHead,
  type Call,
  type Caller,
  type Era,
  type NotificationMessage,
  type Outcome,
  type ParamHeader,
  type Params,
  type Pieces,
  type Question,
  type RequestMessage,
  type RequestId,
  type ResponseMessage,
  type RpcError,
  type Runner,
} from '../wire/index.ts'
import type { Connection } from './connection.ts'
import { EventStream, highWaterMark } from './event-stream.ts'
import { passesLog } from './log-level.ts'

/** Header and body of a small answer leave in one write. */
const oneWriteBytes = 16_384

interface ExchangeOptions {
  /** Tells it from the other exchanges of the hub. */
  readonly number: number
  readonly message: RequestMessage
  readonly caller: Caller
  readonly connection: Connection | null
  readonly headers: IncomingHttpHeaders
  readonly response: ServerResponse
  readonly onEnd: (exchange: Exchange) => void
}

/** One request of an HTTP client and everything that goes back to it: plain JSON, or a stream once there is more to say. */
export class Exchange implements Call {
  readonly number: number
  readonly method: string
  params: Params | undefined
  readonly caller: Caller
  readonly headers: IncomingHttpHeaders
  readonly startedAt = performance.now()
  paramHeaders: readonly ParamHeader[] | null = null
  readonly nameHeader: string | null
  isDone = false
  runner: Runner | null = null
  onDone: ((outcome: Outcome) => void) | null = null
  readonly #id: RequestId
  /** The id as it stands in JSON. */
  readonly #clientId: string
  readonly #connection: Connection | null
  readonly #response: ServerResponse
  readonly #onEnd: (exchange: Exchange) => void
  #stream: EventStream | null = null
  #questions: AbortController | null = null

  constructor(options: ExchangeOptions) {
    const { message, connection, response } = options
    this.number = options.number
    this.method = message.method
    this.params = message.params
    this.caller = options.caller
    this.headers = options.headers
    const name = options.headers['mcp-name']
    this.nameHeader = options.caller.era === 'modern' && typeof name === 'string' ? name : null
    this.#id = message.id
    this.#clientId = typeof message.id === 'number' ? String(message.id) : JSON.stringify(message.id)
    this.#connection = connection
    this.#response = response
    this.#onEnd = options.onEnd
    connection?.exchanges.set(message.id, this)
    response.once('close', () => this.#onClose())
  }

  get stream(): EventStream | null {
    return this.#stream
  }

  get clientId(): RequestId {
    return this.#id
  }

  respond(bytes: Buffer, id: number, from: Era): void {
    if (this.isDone) return
    let pieces: Pieces | null
    try {
      if (this.caller.era === 'legacy' && from === 'modern' && asksForInput(bytes)) {
        return this.#failBy('CAPABILITY_MISSING', 'asks for input in a way that this client does not know.')
      }
      pieces = rewriteAnswer(bytes, id, this.#clientId, this.#added(from))
    } catch (cause) {
      return this.#failBy('DOWNSTREAM_FAILED', `did not answer in JSON: ${jsonProblem(cause)}`, cause)
    }
    if (pieces === null) return this.#failBy('DOWNSTREAM_FAILED', 'answered something else.')
    this.#finish(pieces)
  }

  #failBy(code: ErrorCode, what: string, cause?: unknown): void {
    this.fail(new HubError(code, `'${this.runner?.connector ?? 'The server'}' ${what}`, { cause }))
  }

  beginRespond(chunk: Buffer, id: number, from: Era, length: number): boolean {
    if (this.isDone || this.#stream !== null || this.#response.headersSent) return false
    // A question hidden in a large answer would be missed, so that pair of eras gets its answers whole.
    if (this.caller.era === 'legacy' && from === 'modern') return false
    const pieces = rewriteHead(chunk, id, this.#clientId, this.#added(from))
    if (pieces === null) return false
    const total = piecesLength(pieces) + length - chunk.length
    this.#response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(total)])
    this.#response.cork()
    this.#response.write(pieces.head)
    this.#response.write(pieces.body!)
    this.#response.uncork()
    return true
  }

  continueRespond(chunk: Buffer, onDrain: () => void): boolean {
    if (this.isDone) return true
    if (this.#response.write(chunk) || this.#response.writableLength < highWaterMark) return true
    this.#response.once('drain', onDrain)
    return false
  }

  endRespond(error?: Error): void {
    if (this.isDone) return
    // The length was promised already: a cut connection is the only honest way to say that the rest is missing.
    if (error === undefined) this.#response.end()
    else this.#response.destroy()
    this.#end(error === undefined ? 'answered' : 'failed')
  }

  /** Answers with a result of the hub's own. */
  result(result: object): void {
    this.resultPieces({ head: JSON.stringify(result).slice(1), body: null, tail: '' })
  }

  /** Like `result`, with the members after the opening brace given as pieces. */
  resultPieces(pieces: Pieces): void {
    const modern =
      this.caller.era === 'modern' ? `"resultType":"complete"${pieces.head.startsWith('}') ? '' : ','}` : ''
    const head = `{"jsonrpc":"2.0","id":${this.#clientId},"result":{${modern}`
    this.#finish({ head: head + pieces.head, body: pieces.body, tail: `${pieces.tail}}` })
  }

  fail(error: HubError): void {
    const { rpc } = errorCodes[error.code]
    // 2026-07-28 says -32602 where earlier revisions say -32002.
    const code = rpc === -32002 && this.caller.era === 'modern' ? -32602 : rpc
    this.failWith({ code, message: error.message, ...(error.data !== undefined && { data: error.data }) })
  }

  failWith(error: RpcError): void {
    if (this.isDone) return
    const head = `{"jsonrpc":"2.0","id":${this.#clientId},"error":${JSON.stringify(error)}}`
    this.#finish({ head, body: null, tail: '' }, statusOf(error.code, this.caller.era))
  }

  notify(message: NotificationMessage): boolean {
    if (this.isDone) return true
    if (message.method === 'notifications/message' && !passesLog(message.params, this.caller)) return true
    return this.openStream().sendMessage(message)
  }

  ask(question: Question, signal: AbortSignal): Promise<Pick<ResponseMessage, 'result' | 'error'>> {
    if (this.#connection === null || this.isDone) {
      return Promise.resolve({ error: { code: -32601, message: `The client cannot be asked for ${question.method}.` } })
    }
    this.#questions ??= new AbortController()
    return this.#connection.ask(question, this.openStream(), AbortSignal.any([signal, this.#questions.signal]))
  }

  /** Turns the answer into a stream. A call that takes long does so by itself, so that nobody thinks it dead. */
  openStream(): EventStream {
    if (this.#stream !== null) return this.#stream
    this.#stream = this.#connection?.createStream() ?? new EventStream(null)
    if (!this.#response.destroyed) this.#stream.attach(this.#response, { primes: this.#connection?.primes === true })
    return this.#stream
  }

  /** The client gives up. Nothing is sent any more. */
  cancel(reason: string): void {
    if (this.isDone) return
    this.#end('cancelled')
    this.runner?.cancel(reason)
    if (this.#stream !== null) this.#stream.end()
    else if (!this.#response.headersSent) this.#response.writeHead(200, ['Content-Type', 'text/event-stream']).end()
    else this.#response.end()
  }

  /** A modern client cancels by closing; a legacy one may come back for the rest of its stream. */
  #onClose(): void {
    if (this.isDone) return
    // A plain answer that has begun cannot be resumed either.
    const isBegun = this.#stream === null && this.#response.headersSent
    if (this.caller.era === 'modern' || this.#connection === null || isBegun) {
      this.#end('cancelled')
      this.runner?.cancel('the client closed its stream')
    }
  }

  #added(from: Era): string {
    if (this.caller.era === 'legacy' || from === 'modern') return ''
    return this.method === 'resources/read'
      ? '"resultType":"complete","ttlMs":0,"cacheScope":"private"'
      : '"resultType":"complete"'
  }

  #finish(pieces: Pieces, status = 200): void {
    if (this.isDone) return
    const stream = this.#stream
    this.#end(status === 200 ? 'answered' : 'failed')
    if (stream !== null) {
      const wasAttached = stream.isAttached
      stream.send(pieces)
      stream.end()
      if (wasAttached) {
        this.#response.once('finish', () => {
          stream.isWritten = true
        })
      }
      return
    }
    const response = this.#response
    if (response.destroyed) return
    const length = piecesLength(pieces)
    response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', String(length)])
    if (pieces.body === null) return void response.end(pieces.head + pieces.tail)
    if (length < oneWriteBytes && isAscii(this.#id)) {
      // Latin-1 keeps bytes as they are and lets the header and the body leave together.
      response.end(pieces.head + pieces.body.toString('latin1') + pieces.tail, 'latin1')
      return
    }
    response.cork()
    response.write(pieces.head)
    response.write(pieces.body)
    response.end(pieces.tail)
    response.uncork()
  }

  #end(outcome: Outcome): void {
    this.isDone = true
    this.#connection?.exchanges.delete(this.#id)
    this.#questions?.abort(new HubError('DOWNSTREAM_FAILED', 'The call is over.'))
    this.#onEnd(this)
    this.onDone?.(outcome)
  }
}

// What goes in front of a body is plain but for the id that the client chose.
function isAscii(id: RequestId): boolean {
  return typeof id === 'number' || /^[\x20-\x7e]*$/.test(id)
}

// Errors of a handler stay in-band; only those that the specification ties to a status get one.
function statusOf(code: number, era: Era): number {
  if (era === 'legacy') return 200
  if (code === -32601) return 404
  return code <= -32020 && code >= -32022 ? 400 : 200
}

function asksForInput(bytes: Buffer): boolean {
  if (!bytes.includes('"input_required"')) return false
  const message = JSON.parse(bytes.toString('utf8')) as { result?: { resultType?: unknown } }
  return message.result?.resultType === 'input_required'
}

import type { HubError } from '@herma/contract'
import type { Downstream } from '../../downstream/index.ts'
import {
  readAnswerError,
  type Call,
  type Era,
  type NotificationMessage,
  type Question,
  type RpcError,
} from '../../wire/index.ts'

/**
 * Sends a call to one downstream after another until one knows what is meant. Only for what may be asked more than
 * once: reading, and methods that a server refuses as unknown without running anything.
 */
export function tryInTurn(
  call: Call,
  downstreams: readonly Downstream[],
  options: TurnOptions,
  misses: readonly Miss[] = [],
): void {
  const [first, ...rest] = downstreams
  if (first === undefined) return options.onNone(misses)
  const attempt = new Attempt(call, options, first, (miss) => tryInTurn(call, rest, options, [...misses, miss]))
  first.call(attempt)
}

/** What a server said that does not have what is meant. */
export interface Miss {
  readonly error: RpcError
  readonly from: Era
}

interface TurnOptions {
  /** True for an error that says "not here". */
  isMiss(error: RpcError): boolean
  /** Nobody knows what is meant: this is what they said. */
  onNone(misses: readonly Miss[]): void
  onHit?(downstream: Downstream): void
}

/** Passes everything on but an answer that says "not here". */
class Attempt implements Call {
  readonly #call: Call
  readonly #options: TurnOptions
  readonly #downstream: Downstream
  readonly #onMiss: (miss: Miss) => void
  #hasMissed = false

  constructor(call: Call, options: TurnOptions, downstream: Downstream, onMiss: (miss: Miss) => void) {
    this.#call = call
    this.#options = options
    this.#downstream = downstream
    this.#onMiss = onMiss
  }

  get method() {
    return this.#call.method
  }
  get message() {
    return this.#call.message
  }
  get params() {
    return this.#call.params
  }
  set params(params) {
    this.#call.params = params
  }
  get caller() {
    return this.#call.caller
  }
  get paramHeaders() {
    return this.#call.paramHeaders
  }
  set paramHeaders(headers) {
    this.#call.paramHeaders = headers
  }
  get nameHeader() {
    return this.#call.nameHeader
  }
  get isDone() {
    return this.#hasMissed || this.#call.isDone
  }
  get runner() {
    return this.#call.runner
  }
  set runner(runner) {
    this.#call.runner = runner
  }
  get onDone() {
    return this.#call.onDone
  }
  set onDone(done) {
    this.#call.onDone = done
  }

  respond(bytes: Buffer, id: number, from: Era): void {
    const error = bytes.length < 65_536 ? readAnswerError(bytes) : null
    if (error !== null && this.#options.isMiss(error)) return this.#miss({ error, from })
    if (error === null) this.#options.onHit?.(this.#downstream)
    this.#call.respond(bytes, id, from)
  }

  // The start of an answer may be an error, so it is looked at whole.
  beginRespond(chunk: Buffer, id: number, from: Era, length: number): boolean {
    return this.#call.beginRespond(chunk, id, from, length)
  }

  continueRespond(chunk: Buffer, onDrain: () => void): boolean {
    return this.#call.continueRespond(chunk, onDrain)
  }

  endRespond(error?: Error): void {
    this.#call.endRespond(error)
  }

  fail(error: HubError): void {
    this.#call.fail(error)
  }

  failWith(error: RpcError, from: Era): void {
    if (this.#options.isMiss(error)) this.#miss({ error, from })
    else this.#call.failWith(error, from)
  }

  notify(message: NotificationMessage): boolean {
    return this.#call.notify(message)
  }

  pause(retryMs: number): void {
    this.#call.pause?.(retryMs)
  }

  ask(question: Question, signal: AbortSignal) {
    return this.#call.ask(question, signal)
  }

  #miss(miss: Miss): void {
    this.#hasMissed = true
    if (!this.#call.isDone) this.#onMiss(miss)
  }
}

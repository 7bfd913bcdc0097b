import type { BufferBudget, OutputBuffer } from './buffer-budget.ts'

/** What is used of node:http's `ServerResponse`, which others can be too. */
export interface ResponseStream {
  readonly headersSent: boolean
  readonly destroyed: boolean
  readonly writableEnded: boolean
  readonly writableLength: number
  readonly writableNeedDrain: boolean
  shouldKeepAlive: boolean
  /** `headers` are names and values in turn. */
  writeHead(status: number, headers?: string[]): this
  flushHeaders(): void
  write(chunk: string | Buffer): boolean
  end(chunk?: string | Buffer): this
  end(chunk: string, encoding: BufferEncoding): this
  cork(): void
  uncork(): void
  destroy(): this
  on(event: 'drain', listener: () => void): this
  once(event: 'close' | 'finish', listener: () => void): this
}

/** A response, and on whose account its bytes wait. */
export interface ClientResponse {
  readonly response: ResponseStream
  readonly principal: { readonly id: string }
  readonly buffers: BufferBudget
}

/** What leaves in one write. */
const wholeBytes = 256 * 1024
/** Larger texts leave in slices of this size, so that it is seen whether the client still takes them. */
const sliceBytes = 65_536
/** Bytes that may wait for a slow client before the sender is asked to slow down. */
const highWaterMark = 256 * 1024
/** What waits below this is not worth to be counted. */
const countedBytes = 65_536

/** Writes to a response no faster than its client reads, and counts what waits. */
export class ResponseWriter {
  readonly #client: ClientResponse
  readonly #connection: object | null
  readonly #onCut: () => void
  #output: OutputBuffer | null = null
  #queue: Buffer[] = []
  #queuedBytes = 0
  #isEnding = false
  #isListening = false
  #waiting: (() => void)[] = []

  /** `onCut` is told before the response of a client is destroyed that takes nothing. */
  constructor(client: ClientResponse, connection: object | null, onCut: () => void = doNothing) {
    this.#client = client
    this.#connection = connection
    this.#onCut = onCut
  }

  get response(): ResponseStream {
    return this.#client.response
  }

  /** What the client has not taken yet. */
  get unread(): number {
    return this.#queuedBytes + this.#client.response.writableLength
  }

  /** False asks the sender to slow down; `onDrain` is called when it may go on. */
  write(bytes: Buffer | string, onDrain?: () => void): boolean {
    const { response } = this.#client
    if (response.destroyed || this.#isEnding) return true
    if (this.#isFree(bytes.length)) response.write(bytes)
    else this.#enqueue(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
    const unread = this.#count()
    if (unread < highWaterMark) return true
    this.#listen()
    if (onDrain !== undefined) this.#waiting.push(onDrain)
    return false
  }

  /** Calls back once the client has taken what was written, or has gone. */
  whenRead(done: () => void): void {
    if (this.unread < highWaterMark || this.#client.response.destroyed) return done()
    this.#listen()
    this.#waiting.push(done)
  }

  /** Nothing follows. What waits still leaves. */
  end(): void {
    this.#isEnding = true
    this.#pump()
    if (!this.#client.response.writableEnded) this.#listen()
  }

  #isFree(length: number): boolean {
    return this.#queue.length === 0 && length <= wholeBytes && !this.#client.response.writableNeedDrain
  }

  #enqueue(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; from += sliceBytes)
      this.#queue.push(bytes.length <= sliceBytes ? bytes : bytes.subarray(from, from + sliceBytes))
    this.#queuedBytes += bytes.length
    this.#listen()
    this.#pump()
  }

  #pump(): void {
    const { response } = this.#client
    while (this.#queue.length > 0 && !response.writableNeedDrain) {
      const slice = this.#queue.shift()!
      this.#queuedBytes -= slice.length
      response.write(slice)
    }
    const isDone = this.#isEnding && this.#queue.length === 0 && !response.writableNeedDrain
    if (isDone && !response.writableEnded) response.end()
  }

  /** Says how much waits, where it is much. */
  #count(): number {
    const { response, principal, buffers } = this.#client
    const { unread } = this
    if (this.#output === null) {
      if (unread < countedBytes || response.destroyed) return unread
      this.#listen()
      const owner = { principal: principal.id, client: this.#connection ?? response }
      this.#output = buffers.output(owner, () => {
        this.#onCut()
        response.destroy()
      })
    }
    this.#output.set(unread)
    return unread
  }

  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    const { response } = this.#client
    response.on('drain', () => this.#onDrain())
    response.once('finish', () => this.#output?.close())
    response.once('close', () => this.#onClose())
  }

  #onDrain(): void {
    this.#pump()
    if (this.#count() >= highWaterMark) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  /** Whoever waits for the client goes on, and finds it gone. */
  #onClose(): void {
    this.#queue = []
    this.#queuedBytes = 0
    this.#output?.close()
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }
}

function doNothing(): void {}

import type { ServerResponse } from 'node:http'
import { streamHeaders } from '../../wire/index.ts'
import type { OpenAiProblem } from './openai-problem.ts'

/** Proxies and clients give up on a silent stream after 30 s or more. */
const keepAliveMs = 15_000
/** A client that leaves more unread is cut off, or it would fill the memory. */
const maxUnreadBytes = 16 * 1024 * 1024

/** What a client of OpenAI's APIs gets: one object, or events. */
export class OpenAiReply {
  readonly #response: ServerResponse
  readonly #headers: readonly string[]
  #beat: NodeJS.Timeout | null = null
  #bytes = 0

  constructor(response: ServerResponse, headers: readonly string[] = []) {
    this.#response = response
    this.#headers = headers
  }

  get isBegun(): boolean {
    return this.#response.headersSent
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Shows signs of life from now on. The first of them begins the stream. */
  keepAlive(): void {
    this.#beat = setInterval(() => this.#write(': keep-alive\n\n'), keepAliveMs)
    this.#beat.unref()
  }

  send({ event, data }: { readonly event?: string; readonly data: object | string }): void {
    const head = event === undefined ? '' : `event: ${event}\n`
    this.#write(`${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  }

  /** The end of a stream. */
  end(): void {
    this.#stop()
    this.#response.end()
  }

  whole(body: object, { status = 200, headers = [] }: { status?: number; headers?: readonly string[] } = {}): void {
    this.#stop()
    if (this.#response.destroyed) return
    const text = JSON.stringify(body)
    const length = Buffer.byteLength(text)
    this.#bytes += length
    const own = ['Content-Type', 'application/json', 'Content-Length', String(length), 'Cache-Control', 'no-store']
    this.#response.writeHead(status, [...own, ...this.#headers, ...headers]).end(text)
  }

  /** A stream that has begun ends, since it has told of the failure itself. */
  fail({ error, status, isTransient, retryAfterMs }: OpenAiProblem, headers: readonly string[] = []): void {
    if (this.isBegun) return this.end()
    const wait = retryAfterMs === null ? [] : ['Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000)))]
    // OpenAI's own header: clients would repeat most failures, and with them what a turn has done already.
    const repeat = ['X-Should-Retry', String(isTransient)]
    this.whole({ error }, { status, headers: [...repeat, ...wait, ...headers] })
  }

  #write(text: string): void {
    const response = this.#response
    if (response.destroyed || response.writableEnded) return
    if (response.writableLength > maxUnreadBytes) return void response.destroy()
    if (!response.headersSent) response.writeHead(200, [...streamHeaders, ...this.#headers])
    this.#bytes += Buffer.byteLength(text)
    response.write(text)
  }

  #stop(): void {
    if (this.#beat !== null) clearInterval(this.#beat)
    this.#beat = null
  }
}

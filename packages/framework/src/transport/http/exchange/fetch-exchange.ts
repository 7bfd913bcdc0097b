import { pathOf, type BodyRead, type HttpExchange } from './exchange.ts'

/** The size of the queue: a web stream tells how much of it is free, not how much is waiting. */
const queueBytes = 64 * 1024
const encoder = new TextEncoder()

/** An exchange on the web's `Request` and `Response`, for runtimes and frameworks that speak those. */
export class FetchExchange implements HttpExchange {
  readonly method: string
  readonly server: string
  readonly path: string
  readonly url: URL
  readonly remoteAddress = undefined
  /** Settles when there is something to answer with. */
  readonly response: Promise<Response>
  readonly #request: Request
  readonly #headers: [string, string][] = []
  readonly #listeners: (() => void)[] = []
  readonly #waiting: (() => void)[] = []
  #respond: (response: Response) => void = () => {}
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined
  #isGone = false
  #isWhole = false

  constructor(server: string, request: Request) {
    this.server = server
    this.#request = request
    this.method = request.method
    this.url = new URL(request.url)
    this.path = pathOf(this.url.pathname)
    this.response = new Promise((resolve) => (this.#respond = resolve))
    this.#isGone = request.signal.aborted
    request.signal.addEventListener('abort', () => this.#leave(), { once: true })
  }

  get isGone(): boolean {
    return this.#isGone
  }
  get unreadBytes(): number {
    return this.#stream === undefined ? 0 : Math.max(0, queueBytes - (this.#stream.desiredSize ?? queueBytes))
  }

  header(name: string): string | undefined {
    // A Request that was made by hand names its host in its URL only.
    return this.#request.headers.get(name) ?? (name === 'host' ? this.url.host : undefined)
  }

  allHeaders(): Record<string, string> {
    return Object.fromEntries(this.#request.headers)
  }

  async readBody(maxBytes: number): Promise<BodyRead> {
    const { body, bodyUsed } = this.#request
    if (bodyUsed) return { problem: 'read before' }
    if (Number(this.header('content-length') ?? 0) > maxBytes) return { problem: 'too large' }
    const chunks: Uint8Array[] = []
    let size = 0
    try {
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        size += chunk.byteLength
        if (size > maxBytes) return { problem: 'too large' }
        chunks.push(chunk)
      }
    } catch {
      // The client left in the middle: there is nobody to tell.
      return { problem: 'broken off' }
    }
    return { bytes: Buffer.concat(chunks) }
  }

  setHeader(name: string, value: string): void {
    this.#headers.push([name, value])
  }

  answer(status: number, headers: readonly string[], text?: string): void {
    // The answer has begun, so it is cut off: the client must not take it for complete.
    if (this.#stream !== undefined) return this.cut()
    this.#isWhole = true
    const isEmpty = status === 204 || this.method === 'HEAD'
    this.#respond(new Response(isEmpty ? null : (text ?? null), { status, headers: this.#join(headers) }))
  }

  startStream(headers: readonly string[]): void {
    const source = {
      start: (controller: ReadableStreamDefaultController<Uint8Array>) => void (this.#stream = controller),
      pull: () => this.#settleDrained(),
      cancel: () => this.#leave(),
    }
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: queueBytes })
    this.#respond(new Response(new ReadableStream(source, strategy), { headers: this.#join(headers) }))
  }

  write(text: string): void {
    if (!this.#isGone && !this.#isWhole) this.#stream?.enqueue(encoder.encode(text))
  }

  async drained(): Promise<void> {
    if (this.#isGone || (this.#stream?.desiredSize ?? 1) > 0) return
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  end(): void {
    if (this.#isGone || this.#isWhole) return
    this.#isWhole = true
    this.#stream?.close()
  }

  cut(): void {
    if (!this.#isGone && !this.#isWhole) this.#stream?.error(new Error('The stream was cut off.'))
    this.#leave()
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener()
    else this.#listeners.push(listener)
  }

  #settleDrained(): void {
    for (const settle of this.#waiting.splice(0)) settle()
  }

  #leave(): void {
    if (this.#isGone || this.#isWhole) return
    this.#isGone = true
    this.#settleDrained()
    for (const listener of this.#listeners) listener()
  }

  #join(headers: readonly string[]): [string, string][] {
    const all = [...this.#headers]
    for (let at = 0; at + 1 < headers.length; at += 2) all.push([headers[at]!, headers[at + 1]!])
    return all
  }
}

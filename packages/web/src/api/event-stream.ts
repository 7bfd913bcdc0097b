import { loginHeaders } from './login.ts'
import { readEvents } from './read-events.ts'

export interface EventStreamOptions {
  onOpen(): void
  onEvent(name: string, data: string): void
  /** It broke, or the hub refused it; unless it `isOver` then, it asks again by itself. */
  onEnd(): void
}

const repairMs = 1000
const maxRepairMs = 10_000

/** A stream of events of the hub. EventSource would do, if it could send a header. */
export class EventStream {
  readonly #path: string
  readonly #options: EventStreamOptions
  readonly #cut = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitMs = repairMs
  /** The hub refused it, or it was closed: whoever wants one opens another. */
  isOver = false

  constructor(path: string, options: EventStreamOptions) {
    this.#path = path
    this.#options = options
    void this.#follow()
  }

  close(): void {
    this.isOver = true
    clearTimeout(this.#timer)
    this.#cut.abort()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#cut
    try {
      const headers = { accept: 'text/event-stream', ...loginHeaders() }
      const response = await fetch(this.#path, { headers, cache: 'no-store', signal })
      if (!response.ok || response.body === null) this.isOver = true
      else await this.#read(response.body)
    } catch {
      // A hub that is away, or a stream that was cut: the same as its end.
    }
    if (signal.aborted) return
    this.#options.onEnd()
    if (this.isOver) return
    this.#timer = setTimeout(() => void this.#follow(), this.#waitMs)
    this.#waitMs = Math.min(this.#waitMs * 2, maxRepairMs)
  }

  async #read(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    this.#waitMs = repairMs
    this.#options.onOpen()
    for await (const { name, data } of readEvents(body)) {
      if (this.isOver) return
      this.#options.onEvent(name, data)
    }
  }
}

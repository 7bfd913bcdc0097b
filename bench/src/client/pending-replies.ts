import type { Reply } from './mcp-client.ts'

/** Requests that wait for an answer on a stream they share. */
export class PendingReplies {
  readonly #timeoutMs: number
  readonly #waiting = new Map<
    number,
    { resolve(reply: Reply): void; reject(error: Error): void; timer: NodeJS.Timeout }
  >()
  #ended: Error | undefined

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  wait(id: number): Promise<Reply> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error(`no answer within ${this.#timeoutMs} ms`))
      }, this.#timeoutMs)
      this.#waiting.set(id, { resolve, reject, timer })
    })
  }

  /** Hands one serialised message to the request it answers; anything else the server says is not for us. */
  receive(body: Buffer): void {
    const id = idOf(body)
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    clearTimeout(waiting.timer)
    waiting.resolve({ id, body, isEventStream: false })
  }

  /** The stream is gone: what waits fails, and so does what comes later. */
  end(error: Error): void {
    this.#ended ??= error
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer)
      waiting.reject(error)
    }
    this.#waiting.clear()
  }
}

/** The id of a message; a large answer with its id at either end is not parsed for it. */
function idOf(body: Buffer): number {
  const first = /^\{"jsonrpc":"2\.0","id":(\d+),/.exec(body.toString('latin1', 0, 48))
  const last = /,"id":(\d+)\}$/.exec(body.toString('latin1', Math.max(0, body.length - 32)))
  const found = first?.[1] ?? last?.[1]
  return found === undefined ? Number((JSON.parse(body.toString()) as { id?: number }).id) : Number(found)
}

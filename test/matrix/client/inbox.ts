import type { WireMessage } from '../wire-message.ts'

const maxKept = 5000

/** The notifications of a client, in the order in which they came. */
export class Inbox {
  readonly #messages: WireMessage[] = []
  readonly #waiting = new Set<() => void>()

  get messages(): readonly WireMessage[] {
    return this.#messages
  }

  push(message: WireMessage): void {
    if (this.#messages.length >= maxKept) this.#messages.shift()
    this.#messages.push(message)
    for (const look of this.#waiting) look()
  }

  clear(): void {
    this.#messages.length = 0
  }

  ofMethod(method: string): WireMessage[] {
    return this.#messages.filter((message) => message.method === method)
  }

  /** The first message that is right, now or later; whoever waits brings the limit. */
  first(isRight: (message: WireMessage) => boolean, signal: AbortSignal): Promise<WireMessage> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(look)
        signal.removeEventListener('abort', giveUp)
      }
      const look = () => {
        const found = this.#messages.find(isRight)
        if (found === undefined) return
        stop()
        resolve(found)
      }
      const giveUp = () => {
        stop()
        reject(signal.reason as Error)
      }
      this.#waiting.add(look)
      signal.addEventListener('abort', giveUp, { once: true })
      look()
    })
  }
}

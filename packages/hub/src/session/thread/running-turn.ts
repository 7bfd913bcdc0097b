import type { ChatEvent } from '@herma/contract'

type Listener = (event: ChatEvent) => void

/** Beyond this, somebody who comes late hears the rest only; what was said is in the thread at the end. */
const maxKeptEvents = 5000
const maxKeptChars = 2_000_000

/** A turn under way in a thread. Whoever listens hears it from its begin; it goes on when nobody does. */
export class RunningTurn {
  readonly principal: string
  readonly #controller = new AbortController()
  readonly #events: ChatEvent[] = []
  readonly #listeners = new Set<Listener>()
  #keptChars = 0
  #isOver = false

  constructor(principal: string) {
    this.principal = principal
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.#isOver
  }

  cancel(reason: Error): void {
    this.#controller.abort(reason)
  }

  tell(event: ChatEvent): void {
    if (this.#isOver) return
    this.#keep(event)
    for (const listener of this.#listeners) listener(event)
    if (event.type !== 'done' && event.type !== 'error') return
    this.#isOver = true
    this.#listeners.clear()
  }

  /** Returns the function that stops listening. */
  listen(listener: Listener): () => void {
    for (const event of this.#events) listener(event)
    if (!this.#isOver) this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #keep(event: ChatEvent): void {
    const last = this.#events.at(-1)
    const isText = event.type === 'text-delta' || event.type === 'reasoning-delta'
    // Results of tools and diffs are longer than all that is said.
    this.#keptChars += isText ? event.text.length : JSON.stringify(event).length
    // The end is always kept, so that no listener waits for it in vain.
    const isEnd = event.type === 'done' || event.type === 'error'
    if (!isEnd && (this.#keptChars > maxKeptChars || this.#events.length >= maxKeptEvents)) return
    if (isText && last?.type === event.type)
      this.#events[this.#events.length - 1] = { ...event, text: last.text + event.text }
    else this.#events.push(event)
  }
}

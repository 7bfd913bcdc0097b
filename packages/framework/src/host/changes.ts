import type { Bus } from '../registry/registry.ts'
import type { Change } from '../connection/change.ts'

/** Spreads changes to everybody in this process who serves clients, and over a bus to other processes. */
export class Changes {
  readonly #topic: string
  readonly #report: (error: unknown) => void
  readonly #listeners = new Set<(change: Change) => void>()
  #bus: Bus | undefined
  #stop: (() => void) | undefined

  constructor(server: string, report: (error: unknown) => void) {
    this.#topic = `mcp.changes.${server}`
    this.#report = report
  }

  /** From here on changes travel over the bus, which brings them back to this process too. */
  async join(bus: Bus): Promise<void> {
    this.#stop?.()
    this.#stop = await bus.subscribe(this.#topic, (message) => this.#hear(message))
    this.#bus = bus
  }

  leave(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#bus = undefined
  }

  publish(change: Change): void {
    if (this.#bus === undefined) return this.#spread(change)
    Promise.resolve(this.#bus.publish(this.#topic, JSON.stringify(change))).catch(this.#report)
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #hear(message: string): void {
    this.#spread(JSON.parse(message) as Change)
  }

  #spread(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        // One client's broken stream must not keep the news from the others.
        this.#report(error)
      }
    }
  }
}

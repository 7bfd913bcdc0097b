import { EventEmitter } from 'node:events'

/** One recorded fact. Its name is a noun, then what happened: `connector.added`. */
export interface HubEvent {
  readonly kind: string
  readonly at: Date
  readonly connector: string | null
  /** Never holds a secret: emitters pass names and numbers, not values. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Where features say that something happened. `trace` listens; nobody imports `trace`. */
export class Events {
  readonly #emitter = new EventEmitter()

  emit(kind: string, connector: string | null = null, data: Record<string, unknown> = {}): void {
    this.#emitter.emit('event', { kind, at: new Date(), connector, data } satisfies HubEvent)
  }

  /** Returns the function that stops listening. */
  listen(listener: (event: HubEvent) => void): () => void {
    this.#emitter.on('event', listener)
    return () => this.#emitter.off('event', listener)
  }
}

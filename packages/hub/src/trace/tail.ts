import { HubError, type EventFilter, type EventView } from '@herma/contract'
import { matchEvents } from './event-filter.ts'
import type { RecordedEvent } from './record/event-row.ts'
import { viewOf } from './event-view.ts'
import type { EventSink } from './record/recorder.ts'

/** Somebody who watches events as they happen. */
export interface TailListener {
  /** False when it cannot take more for now; the event is skipped and counted. */
  show(event: EventView): boolean
  /** How many were skipped since it last could take one. */
  showSkipped(count: number): void
}

const maxListeners = 20

/** The live tail. Listeners that read too slowly skip events; they never hold up anybody. */
export class Tail implements EventSink {
  readonly #listeners = new Set<{ listener: TailListener; matches(event: EventView): boolean; skipped: number }>()
  #skipped = 0

  get size(): number {
    return this.#listeners.size
  }

  /** How many events all listeners together have skipped. */
  get skipped(): number {
    return this.#skipped
  }

  /** Returns the function that stops listening. */
  listen(filter: EventFilter, listener: TailListener): () => void {
    if (this.#listeners.size >= maxListeners)
      throw new HubError('OVERLOADED', `${maxListeners} tails are open, which is the limit. Close one of them.`)
    const entry = { listener, matches: matchEvents(filter), skipped: 0 }
    this.#listeners.add(entry)
    return () => this.#listeners.delete(entry)
  }

  take(recorded: RecordedEvent): void {
    if (this.#listeners.size === 0) return
    const event = viewOf(recorded)
    for (const entry of this.#listeners) {
      if (!entry.matches(event)) continue
      if (entry.listener.show(event)) {
        if (entry.skipped > 0) entry.listener.showSkipped(entry.skipped)
        entry.skipped = 0
      } else {
        entry.skipped++
        this.#skipped++
      }
    }
  }
}

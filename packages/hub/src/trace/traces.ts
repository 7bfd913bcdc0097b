import { setTimeout as sleep } from 'node:timers/promises'
import {
  HubError,
  type EventFilter,
  type EventPage,
  type EventQuery,
  type EventView,
  type Trace,
  type TraceFormat,
} from '@herma/contract'
import { viewOfRow, type EventRow } from './event-view.ts'
import { exportEvents, type ExportedFile } from './export/export-events.ts'
import type { Masks } from './record/recorder.ts'
import type { SearchGate } from './search-gate.ts'
import type { EventStore, EventTable } from './store.ts'
import type { Tail, TailListener } from './tail.ts'

export interface TracesOptions {
  readonly store: Pick<EventStore, 'find' | 'ofTrace'>
  readonly masks: Masks
  readonly tail: Tail
  readonly version: string
  readonly gate: SearchGate
  /** Resolves when everything that was recorded before is stored. */
  flush(): Promise<unknown>
}

const maxTraceEvents = 10_000
const maxExportEvents = 10_000
const pageOfExport = 1000
// Long enough for a healthy store to take what is queued, short enough for a person who waits for a page.
const flushWaitMs = 500

/** Answers questions about what happened, with what was recorded just before unless the store is slow. */
export class Traces {
  readonly #options: TracesOptions

  constructor(options: TracesOptions) {
    this.#options = options
  }

  /** Newest first. */
  find(query: EventQuery): Promise<EventPage> {
    return this.#page('event', query)
  }

  audit(query: EventQuery): Promise<EventPage> {
    return this.#page('audit_event', query)
  }

  async recent(filter: { connector?: string | undefined; limit: number }): Promise<EventView[]> {
    return (await this.find(filter)).events
  }

  async trace(traceId: string): Promise<Trace> {
    await this.settle()
    const rows = await this.#options.gate.pass(() => this.#options.store.ofTrace(traceId, maxTraceEvents + 1))
    if (rows.length === 0) {
      const message = `No trace has the id ${traceId}. It may be too old: see herma traces list.`
      throw new HubError('TRACE_NOT_FOUND', message)
    }
    const events = this.#viewsOf(rows.slice(0, maxTraceEvents))
    return { traceId, events, isWhole: rows.length <= maxTraceEvents }
  }

  async exportTrace(traceId: string, format: TraceFormat): Promise<ExportedFile> {
    const { events } = await this.trace(traceId)
    return exportEvents(events, { format, name: `trace-${traceId}`, version: this.#options.version })
  }

  /** All events that match, up to a limit, oldest first. */
  async exportFound(filter: EventFilter, format: TraceFormat): Promise<ExportedFile> {
    const events: EventView[] = []
    let cursor: string | undefined
    while (events.length < maxExportEvents) {
      const page = await this.find({ ...filter, limit: pageOfExport, cursor })
      events.push(...page.events)
      if (page.next === null) break
      cursor = page.next
    }
    return exportEvents(events.toReversed(), { format, name: 'traces', version: this.#options.version })
  }

  /** Returns the function that stops it. */
  listen(filter: EventFilter, listener: TailListener): () => void {
    return this.#options.tail.listen(filter, listener)
  }

  async #page(table: EventTable, query: EventQuery): Promise<EventPage> {
    await this.settle()
    const rows = await this.#options.gate.pass(() => this.#options.store.find(table, query))
    return { events: this.#viewsOf(rows), next: rows.length < query.limit ? null : (rows.at(-1)?.id ?? null) }
  }

  // Masked once more: a value may have become a secret after it was recorded.
  #viewsOf(rows: readonly EventRow[]): EventView[] {
    const { redact, redactValue } = this.#options.masks
    return rows.map((row) => {
      const view = viewOfRow(row)
      const target = view.target === undefined ? {} : { target: redact(view.target) }
      return { ...view, ...target, data: redactValue(view.data) as EventView['data'] }
    })
  }

  /** What was recorded just before is stored, unless the store is slow. */
  async settle(): Promise<void> {
    // A store that does not take the queue in time still answers with what it has.
    const flushed = this.#options.flush().catch(() => undefined)
    await Promise.race([flushed, sleep(flushWaitMs, undefined, { ref: false })])
  }
}

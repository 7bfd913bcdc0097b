import type { EventView } from '@herma/contract'
import { desc, eq, sql } from 'drizzle-orm'
import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriter, type BatchWriterStats } from '../platform/batch-writer.ts'
import type { Events, HubEvent } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../platform/store.ts'
import { eventTable } from './table.ts'

export interface RecentEventsQuery {
  readonly connector?: string | undefined
  readonly limit: number
}

const kept = 50_000
const pruneIntervalMs = 60_000
const maxDataLength = 16_384
const maxLimit = 1000
// Long enough for a healthy store to take what is queued, short enough for a person who waits for a page.
const flushWaitMs = 500

/** Keeps the newest events. A lost answer of the store may record one twice; none is lost once it is queued. */
export class EventLog {
  readonly #store: Store
  readonly #events: Events
  readonly #log: Log
  readonly #writer: BatchWriter<EventRow>
  #stopListening: (() => void) | undefined
  #pruneTimer: NodeJS.Timeout | undefined
  #pruning: Promise<void> = Promise.resolve()
  #writtenAtPrune = -1

  constructor(store: Store, events: Events, log: Log) {
    this.#store = store
    this.#events = events
    this.#log = log
    this.#writer = new BatchWriter({ name: 'event log', log, write: (rows) => insertEvents(store, rows) })
  }

  start(): void {
    this.#stopListening ??= this.#events.listen((event) => this.#writer.add(toRow(event)))
    this.#pruneTimer ??= setInterval(() => this.#schedulePrune(), pruneIntervalMs).unref()
  }

  async stop(): Promise<void> {
    this.#stopListening?.()
    clearInterval(this.#pruneTimer)
    await this.#writer.stop()
    await this.#pruning
  }

  /** Newest first, with what was emitted just before the call unless the store is slow. */
  async recent({ connector, limit }: RecentEventsQuery): Promise<EventView[]> {
    // A store that does not take the queue in time still answers with what it has.
    await Promise.race([this.#writer.flush().catch(() => undefined), sleep(flushWaitMs, undefined, { ref: false })])
    const rows = await this.#store.db
      .select()
      .from(eventTable)
      .where(connector === undefined ? undefined : eq(eventTable.connector, connector))
      .orderBy(desc(eventTable.id))
      .limit(Math.min(Math.max(Math.trunc(limit), 1), maxLimit))
    return rows.map((row) => ({
      id: String(row.id),
      at: row.at.toISOString(),
      kind: row.kind,
      connector: row.connector,
      data: row.data as EventView['data'],
    }))
  }

  stats(): BatchWriterStats {
    return this.#writer.stats()
  }

  /** Deletes all but the newest events. Runs by itself now and then. */
  async prune(keep = kept): Promise<void> {
    await this.#store.db.execute(sql`
      delete from ${eventTable}
      where ${eventTable.id} <= (select id from ${eventTable} order by id desc offset ${keep} limit 1)`)
  }

  #schedulePrune(): void {
    const { written } = this.#writer.stats()
    if (written === this.#writtenAtPrune) return
    this.#pruning = this.#pruning
      .then(() => this.prune())
      .then(() => void (this.#writtenAtPrune = written))
      .catch((error: unknown) => this.#log.warn('old events could not be deleted', { error }))
  }
}

interface EventRow {
  readonly at: string
  readonly kind: string
  readonly connector: string | null
  readonly data: string
}

// Rows are made text at once: an object that changes or cannot be serialised must not reach a batch of others.
function toRow({ at, kind, connector, data }: HubEvent): EventRow {
  return {
    at: new Date(at).toISOString(),
    kind: cleanText(kind),
    connector: connector && cleanText(connector),
    data: toJson(data),
  }
}

function toJson(data: HubEvent['data']): string {
  let text: string
  try {
    text = JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  } catch (error) {
    text = JSON.stringify({ unreadable: (error as Error).message })
  }
  if (text.length > maxDataLength) text = JSON.stringify({ truncated: text.slice(0, maxDataLength) })
  // PostgreSQL cannot hold the character zero, nor half a surrogate pair; whole pairs are not written as escapes.
  return text.replace(/\\(?:u[0-9a-f]{4}|.)/gi, (escape) => (/^\\u(?:0000|d[89a-f]..)$/i.test(escape) ? '' : escape))
}

function cleanText(text: string): string {
  return text.replaceAll('\0', '')
}

async function insertEvents(store: Store, rows: readonly EventRow[]): Promise<void> {
  const column = (name: keyof EventRow) => rows.map((row) => row[name])
  // One array per column keeps the statement the same for every batch size.
  await store.pool.query(
    `insert into event (at, kind, connector, data)
     select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[]::jsonb[])`,
    [column('at'), column('kind'), column('connector'), column('data')],
  )
}

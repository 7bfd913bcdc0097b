import { emit } from '../telemetry/events.ts'
import { checkPositive } from './check-positive.ts'
import { postgresEventLog } from './postgres-event-log.ts'
import { postgresStore } from './postgres-store.ts'
import { createTablesStatement, nameTables, type Queryable, type TableOptions, type Tables } from './postgres-tables.ts'
import type { EventLog, Store } from './store.ts'

export type { Queryable } from './postgres-tables.ts'

/** Where the tables are, and how much they keep; all of it has defaults. */
export interface PostgresBackendOptions extends TableOptions {
  readonly maxEventsPerStream?: number
  /** A stream is forgotten when nothing was appended to it for so long. */
  readonly eventTtlMs?: number
}

/** A store and an event log in one database. Await `prepare` before anything else. */
export interface PostgresBackend {
  readonly store: Store
  readonly events: EventLog
  /** Creates the tables that are missing and begins to sweep. Any number of processes may call it at once. */
  prepare(): Promise<void>
  /** Deletes what expired; returns how many entries and streams that were. Runs by itself once a minute. */
  sweep(): Promise<number>
  /** Ends the sweeping. The pool stays open: it is yours. */
  stop(): Promise<void>
}

const sweepIntervalMs = 60_000

/**
 * Keeps connections, their state and the events of their streams in PostgreSQL (13 or later), so that any process on
 * the same database can go on with them.
 * Give a `pg.Pool` an `error` listener: without one it ends the process when the database restarts.
 */
export function postgresBackend(pool: Queryable, options: PostgresBackendOptions = {}): PostgresBackend {
  const { schema, maxEventsPerStream = 1000, eventTtlMs = 3_600_000 } = options
  checkPositive('maxEventsPerStream', maxEventsPerStream)
  checkPositive('eventTtlMs', eventTtlMs)
  const tables = nameTables(options)
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<number> | undefined
  let isStopped = false
  const sweep = () => (sweeping ??= sweepTables(pool, tables).finally(() => (sweeping = undefined)))
  // Nobody waits for a sweep of the timer; what it leaves behind is found by the next one.
  const report = (error: unknown) => emit('mcp.error', () => ({ server: '', error }))

  return {
    store: postgresStore(pool, tables),
    events: postgresEventLog(pool, tables, { maxEventsPerStream, ttlMs: eventTtlMs }),
    async prepare() {
      await pool.query(createTablesStatement(tables, schema))
      if (isStopped) return
      timer ??= setInterval(() => void sweep().catch(report), sweepIntervalMs).unref()
    },
    sweep,
    async stop() {
      isStopped = true
      clearInterval(timer)
      // Whoever began the sweep hears of its failure.
      await sweeping?.catch(() => undefined)
    },
  }
}

/** Other processes may sweep at the same time: each takes the rows that the others did not lock. */
async function sweepTables(pool: Queryable, { entry, stream }: Tables): Promise<number> {
  const batches = [
    { table: entry, key: 'key', size: 1000 },
    // Each takes its events with it.
    { table: stream, key: 'id', size: 50 },
  ]
  let total = 0
  for (const { table, key, size } of batches) {
    // An array, because PostgreSQL may run `in (select …)` once per row and then lock more than the limit.
    const text = `delete from ${table} where ${key} = any(array(
      select ${key} from ${table} where expires_at <= now() limit ${size} for update skip locked))`
    let deleted: number
    do {
      deleted = (await pool.query(text)).rowCount ?? 0
      total += deleted
    } while (deleted === size)
  }
  return total
}

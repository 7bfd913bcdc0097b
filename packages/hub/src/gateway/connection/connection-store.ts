import { inArray, lt, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { BatchWriter } from '../../platform/store/batch-writer.ts'
import type { Log } from '../../platform/log.ts'
import type { NewCaller } from './connection.ts'
import { connectionTable } from '../server/table.ts'

/** What is stored of a connection: what its id cannot say. */
export interface StoredConnection {
  readonly id: string
  /** Deleted by its client: it must not come back. */
  readonly isClosed: boolean
  /** What `initialize` said, where that was too long for an id. */
  readonly caller: NewCaller | null
  readonly subscriptions: readonly string[]
  readonly logLevel: string | null
  readonly expiresAt: Date
}

/** Rows of connections that changed something, and of those that were deleted. Beyond them the oldest go. */
const maxOpenRows = 10_000
const maxClosedRows = 100_000
const maxCallerBytes = 64 * 1024
const maxSubscriptionBytes = 16 * 1024
const tidyEveryMs = 60 * 60_000
/** Whoever waits for a row to be durable waits no longer than this; the row is written all the same. */
const durableMs = 2000

/** The only SQL about connections. Nothing of it is on the path of a call. */
export class ConnectionStore {
  readonly #db: NodePgDatabase
  readonly #log: Log
  readonly #writer: BatchWriter<StoredConnection>
  #asked: Map<string, ((row: Promise<StoredConnection | undefined>) => void)[]> | null = null
  #timer: NodeJS.Timeout | null = null
  #writtenSinceTidied = 0

  constructor(db: NodePgDatabase, log: Log) {
    this.#db = db
    this.#log = log
    this.#writer = new BatchWriter({ name: 'connections', write: (rows) => this.#write(rows), log })
  }

  start(): void {
    void this.#tidy()
    this.#timer = setInterval(() => void this.#tidy(), tidyEveryMs).unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#writer.stop()
  }

  /** After a restart all clients come at once, so that those who ask in the same moment share a query. */
  find(id: string): Promise<StoredConnection | undefined> {
    return new Promise((resolve) => {
      if (this.#asked === null) {
        this.#asked = new Map()
        setImmediate(() => this.#answer())
      }
      this.#asked.set(id, [...(this.#asked.get(id) ?? []), resolve])
    })
  }

  /** Resolves when the row is durable, or after a while in which the store was away. */
  async save(row: StoredConnection): Promise<void> {
    this.#writer.add({ ...row, subscriptions: withinLimit(row.subscriptions) })
    const durable = this.#writer.flush().catch((error: unknown) => {
      this.#log.warn('a connection could not be stored', { error })
    })
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, durableMs)))
    await Promise.race([durable, limit])
    clearTimeout(timer)
  }

  #answer(): void {
    const asked = this.#asked!
    this.#asked = null
    const found = this.#db
      .select()
      .from(connectionTable)
      .where(inArray(connectionTable.id, [...asked.keys()]))
      .then((rows) => new Map(rows.map((row) => [row.id, fromRow(row)])))
    for (const [id, resolves] of asked) {
      const row = found.then((rows) => rows.get(id))
      for (const resolve of resolves) resolve(row)
    }
  }

  async #write(rows: readonly StoredConnection[]): Promise<void> {
    const latest = [...new Map(rows.map((row) => [row.id, row])).values()]
    await this.#db
      .insert(connectionTable)
      .values(latest.map(toRow))
      .onConflictDoUpdate({
        target: connectionTable.id,
        set: {
          isClosed: sql`excluded.is_closed`,
          caller: sql`excluded.caller`,
          subscriptions: sql`excluded.subscriptions`,
          logLevel: sql`excluded.log_level`,
        },
        // What was deleted stays so, in whatever order things are written.
        setWhere: sql`not ${connectionTable.isClosed}`,
      })
    this.#writtenSinceTidied += latest.length
    if (this.#writtenSinceTidied > maxOpenRows / 10) void this.#tidy()
  }

  async #tidy(): Promise<void> {
    this.#writtenSinceTidied = 0
    try {
      await this.#db.delete(connectionTable).where(lt(connectionTable.expiresAt, new Date()))
      for (const [isClosed, limit] of [
        [false, maxOpenRows],
        [true, maxClosedRows],
      ] as const) {
        await this.#db.execute(sql`
          delete from ${connectionTable} where ${connectionTable.id} in (
            select id from ${connectionTable} where is_closed = ${isClosed} order by expires_at desc offset ${limit})`)
      }
    } catch (error) {
      this.#log.warn('old connections could not be removed; tried again within the hour', { error })
    }
  }
}

function toRow({ caller, subscriptions, ...row }: StoredConnection): typeof connectionTable.$inferInsert {
  const said = caller === null ? null : JSON.stringify(caller)
  return {
    ...row,
    // Who says even more of itself is served as long as this hub runs.
    caller: said === null || said.length > maxCallerBytes ? null : said,
    subscriptions: JSON.stringify(subscriptions),
  }
}

function fromRow({ caller, subscriptions, ...row }: typeof connectionTable.$inferSelect): StoredConnection {
  return {
    ...row,
    caller: caller === null ? null : (JSON.parse(caller) as NewCaller),
    subscriptions: JSON.parse(subscriptions) as string[],
  }
}

function withinLimit(uris: readonly string[]): string[] {
  let bytes = 0
  return uris.filter((uri) => (bytes += uri.length) <= maxSubscriptionBytes)
}

import { and, asc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { dataKeyTable, dataKeyWrapTable } from './table.ts'

export interface StoredWrap {
  readonly dataKeyId: string
  readonly masterKeyId: string
  readonly wrapped: string
}

export interface StoredDataKey {
  readonly id: string
  readonly createdAt: Date
  readonly retiredAt: Date | null
  /** Oldest first. */
  readonly wraps: readonly (StoredWrap & { readonly createdAt: Date })[]
}

// Any number that nobody else uses in the same database.
const creationLock = 4_376_000_002

/** The rows of data keys, which never leave this process unwrapped. */
export class DataKeyStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  /** Oldest first. */
  async loadAll(): Promise<StoredDataKey[]> {
    const [keys, wraps] = await this.#db.transaction(
      async (db) => [
        await db.select().from(dataKeyTable).orderBy(asc(dataKeyTable.position)),
        await db.select().from(dataKeyWrapTable).orderBy(asc(dataKeyWrapTable.position)),
      ],
      // Both reads see the same moment.
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    )
    return keys.map((key) => ({ ...key, wraps: wraps.filter(({ dataKeyId }) => dataKeyId === key.id) }))
  }

  /** The first key of a master key. Of several hubs that start at once, one creates it. */
  async insertFirst(wrap: StoredWrap): Promise<void> {
    await this.#db.transaction(async (db) => {
      await db.execute(sql`select pg_advisory_xact_lock(${creationLock})`)
      const { id, retiredAt } = dataKeyTable
      const usable = await db
        .select({ id })
        .from(dataKeyTable)
        .innerJoin(dataKeyWrapTable, eq(dataKeyWrapTable.dataKeyId, id))
        .where(and(eq(dataKeyWrapTable.masterKeyId, wrap.masterKeyId), isNull(retiredAt)))
        .limit(1)
      if (usable.length > 0) return
      await db.insert(dataKeyTable).values({ id: wrap.dataKeyId })
      await db.insert(dataKeyWrapTable).values(wrap)
    })
  }

  async insert(wrap: StoredWrap): Promise<void> {
    await this.#db.transaction(async (db) => {
      await db.insert(dataKeyTable).values({ id: wrap.dataKeyId })
      await db.insert(dataKeyWrapTable).values(wrap)
    })
  }

  /** Another master key opens these data keys from now on too, and counts as the newest. */
  async addWraps(wraps: readonly StoredWrap[]): Promise<void> {
    await this.#db.transaction(async (db) => {
      for (const { dataKeyId, masterKeyId } of wraps)
        await db.delete(dataKeyWrapTable).where(isWrap(dataKeyId, masterKeyId))
      if (wraps.length > 0) await db.insert(dataKeyWrapTable).values([...wraps])
    })
  }

  /** What this master key opens is not opened any more by those that came before it, or after it. */
  async removeOtherWraps(masterKeyId: string, which: 'older' | 'newer'): Promise<void> {
    const { dataKeyId, position } = dataKeyWrapTable
    await this.#db.transaction(async (db) => {
      const own = await db.select().from(dataKeyWrapTable).where(eq(dataKeyWrapTable.masterKeyId, masterKeyId))
      for (const wrap of own) {
        const isOther = which === 'older' ? lt(position, wrap.position) : gt(position, wrap.position)
        await db.delete(dataKeyWrapTable).where(and(eq(dataKeyId, wrap.dataKeyId), isOther))
      }
    })
  }

  async retire(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#db
      .update(dataKeyTable)
      .set({ retiredAt: sql`now()` })
      .where(and(inArray(dataKeyTable.id, [...ids]), isNull(dataKeyTable.retiredAt)))
  }

  /** Removes those of these keys that were retired before that time. */
  async removeRetired(ids: readonly string[], before: Date): Promise<string[]> {
    if (ids.length === 0) return []
    const removed = await this.#db
      .delete(dataKeyTable)
      .where(and(inArray(dataKeyTable.id, [...ids]), lt(dataKeyTable.retiredAt, before)))
      .returning({ id: dataKeyTable.id })
    return removed.map(({ id }) => id)
  }
}

function isWrap(dataKeyId: string, masterKeyId: string) {
  return and(eq(dataKeyWrapTable.dataKeyId, dataKeyId), eq(dataKeyWrapTable.masterKeyId, masterKeyId))
}

import { randomUUID } from 'node:crypto'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Renew, SealedPlace } from './key/sealed-place.ts'
import type { Sealer } from './sealer.ts'
import { secretTable } from './table.ts'

export interface StoredSecret {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** In clear here, in memory only; null when it does not open, and then `problem` says why. */
  readonly value: string | null
  readonly problem: string | null
}

const batchSize = 100

/** The rows of named secrets. It is the only place that sees them sealed. */
export class SecretStore implements SealedPlace {
  readonly name = 'secrets'
  readonly #db: NodePgDatabase
  readonly #sealer: Sealer

  constructor(db: NodePgDatabase, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  async loadAll(): Promise<StoredSecret[]> {
    const rows = await this.#db.select().from(secretTable).orderBy(asc(secretTable.name))
    return rows.map(({ sealed, ...row }) => {
      try {
        return { ...row, value: this.#sealer.open(sealed, contextOf(row.id)), problem: null }
      } catch (error) {
        return { ...row, value: null, problem: (error as Error).message }
      }
    })
  }

  async insert(name: string, value: string, description: string): Promise<StoredSecret> {
    const id = randomUUID()
    const sealed = this.#sealer.seal(value, contextOf(id))
    const rows = await this.#db.insert(secretTable).values({ id, name, sealed, description }).returning()
    return toStored(rows[0]!, value)
  }

  async setValue({ id }: StoredSecret, value: string): Promise<StoredSecret> {
    const sealed = this.#sealer.seal(value, contextOf(id))
    const changes = { sealed, updatedAt: sql`now()` }
    const rows = await this.#db.update(secretTable).set(changes).where(eq(secretTable.id, id)).returning()
    return toStored(rows[0]!, value)
  }

  async setDescription(secret: StoredSecret, description: string): Promise<StoredSecret> {
    await this.#db.update(secretTable).set({ description }).where(eq(secretTable.id, secret.id))
    return { ...secret, description }
  }

  async remove(id: string): Promise<void> {
    await this.#db.delete(secretTable).where(eq(secretTable.id, id))
  }

  async reseal(renew: Renew, after: string | null): Promise<string | null> {
    const { id, sealed } = secretTable
    return await this.#db.transaction(async (db) => {
      const rows = await db
        .select({ id, sealed })
        .from(secretTable)
        .where(after === null ? undefined : gt(id, after))
        .orderBy(asc(id))
        .limit(batchSize)
      for (const row of rows) {
        const renewed = renew(row.sealed, contextOf(row.id))
        if (renewed === null) continue
        // A value that was set meanwhile is not the one that was read, and stays.
        await db
          .update(secretTable)
          .set({ sealed: renewed })
          .where(and(eq(id, row.id), eq(sealed, row.sealed)))
      }
      return rows.length < batchSize ? null : rows.at(-1)!.id
    })
  }
}

function toStored({ sealed: _, ...row }: typeof secretTable.$inferSelect, value: string): StoredSecret {
  return { ...row, value, problem: null }
}

function contextOf(id: string): string {
  return `secret:${id}:value`
}

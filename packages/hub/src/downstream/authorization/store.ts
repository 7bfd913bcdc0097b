import { and, asc, eq, ne, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { readErrorCode } from '../../platform/postgres/sql-state.ts'
import type { Renew, SealedPlace, Sealer } from '../../secret/index.ts'
import { authorizationTable } from '../connector/table.ts'

export type RecordKind = 'client' | 'tokens' | 'discovery' | 'sign-in' | 'binding' | 'values'

/** Where a record stands. What belongs to no issuer has an empty one. */
export interface RecordPlace {
  readonly connectorId: string
  /** Whose it is; empty for what everybody shares. */
  readonly principal: string
  readonly issuer: string
  readonly kind: RecordKind
}

export interface StoredRecord extends RecordPlace {
  readonly serverUrl: string
  readonly value: unknown
}

// https://www.postgresql.org/docs/18/errcodes-appendix.html
const foreignKeyViolation = '23503'

/** The rows of what signing in left. It is the only place that sees them sealed. */
export class AuthorizationStore implements SealedPlace {
  readonly name = 'sign-ins'
  readonly #db: NodePgDatabase
  readonly #sealer: Sealer

  constructor(db: NodePgDatabase, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  /** A record that does not open any more is left out: the person signs in again. */
  async loadAll(): Promise<StoredRecord[]> {
    return this.#open(await this.#db.select().from(authorizationTable))
  }

  /** What one principal has for a connector, as it is now: another hub may have changed it. */
  async load(connectorId: string, principal: string): Promise<StoredRecord[]> {
    const table = authorizationTable
    const isIts = and(eq(table.connectorId, connectorId), eq(table.principal, principal))
    return this.#open(await this.#db.select().from(table).where(isIts))
  }

  #open(rows: (typeof authorizationTable.$inferSelect)[]): StoredRecord[] {
    return rows.flatMap(({ sealed, updatedAt: _, ...row }) => {
      const place = { ...row, kind: row.kind as RecordKind }
      try {
        return [{ ...place, value: JSON.parse(this.#sealer.open(sealed, contextOf(place))) as unknown }]
      } catch {
        return []
      }
    })
  }

  /** Does nothing for a connector that was removed meanwhile. */
  async save({ value, serverUrl, ...place }: StoredRecord): Promise<void> {
    const fields = { serverUrl, sealed: this.#sealer.seal(JSON.stringify(value), contextOf(place)) }
    const { connectorId, principal, issuer, kind } = authorizationTable
    try {
      await this.#db
        .insert(authorizationTable)
        .values({ ...place, ...fields })
        .onConflictDoUpdate({
          target: [connectorId, principal, issuer, kind],
          set: { ...fields, updatedAt: sql`now()` },
        })
    } catch (error) {
      if (readErrorCode(error) !== foreignKeyViolation) throw error
    }
  }

  async remove(place: RecordPlace): Promise<void> {
    await this.#db.delete(authorizationTable).where(isAt(place))
  }

  /** Forgets everything that signing in to the server of a connector left, of all who did. */
  async removeAll(connectorId: string): Promise<void> {
    await this.#db.delete(authorizationTable).where(eq(authorizationTable.connectorId, connectorId))
  }

  /** Forgets what is for another server than the one that the connector leads to now. */
  async removeOthers(connectorId: string, serverUrl: string): Promise<void> {
    const table = authorizationTable
    await this.#db.delete(table).where(and(eq(table.connectorId, connectorId), ne(table.serverUrl, serverUrl)))
  }

  async reseal(renew: Renew, after: string | null): Promise<string | null> {
    const table = authorizationTable
    const columns = [table.connectorId, table.principal, table.issuer, table.kind] as const
    return await this.#db.transaction(async (db) => {
      const last =
        after === null
          ? null
          : sql`(${sql.join(
              (JSON.parse(after) as string[]).map((key) => sql`${key}`),
              sql`, `,
            )})`
      const rows = await db
        .select()
        .from(table)
        .where(last === null ? undefined : sql`(${sql.join([...columns], sql`, `)}) > ${last}`)
        .orderBy(...columns.map((column) => asc(column)))
        .limit(resealBatch)
      for (const row of rows) {
        const place = { ...row, kind: row.kind as RecordKind }
        const renewed = renew(row.sealed, contextOf(place))
        // A record that was saved meanwhile is not the one that was read, and stays.
        if (renewed !== null)
          await db
            .update(table)
            .set({ sealed: renewed })
            .where(and(isAt(place), eq(table.sealed, row.sealed)))
      }
      const { connectorId, principal, issuer, kind } = rows.at(-1) ?? {}
      return rows.length < resealBatch ? null : JSON.stringify([connectorId, principal, issuer, kind])
    })
  }
}

const resealBatch = 50

function isAt({ connectorId, principal, issuer, kind }: RecordPlace) {
  const table = authorizationTable
  const isIts = and(eq(table.connectorId, connectorId), eq(table.principal, principal))
  return and(isIts, eq(table.issuer, issuer), eq(table.kind, kind))
}

function contextOf({ connectorId, principal, issuer, kind }: RecordPlace): string {
  const whose = principal === '' ? '' : `:${principal}`
  return `downstream_authorization:${connectorId}:${kind}:${issuer}${whose}`
}

import { and, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { readErrorCode } from '../../platform/sql-state.ts'
import type { Sealer } from '../../secret/index.ts'
import { authorizationTable } from '../table.ts'

export type RecordKind = 'client' | 'tokens' | 'discovery' | 'sign-in' | 'binding'

/** Where a record stands. What belongs to no issuer has an empty one. */
export interface RecordPlace {
  readonly connectorId: string
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
export class AuthorizationStore {
  readonly #db: NodePgDatabase
  readonly #sealer: Sealer

  constructor(db: NodePgDatabase, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  /** A record that does not open any more is left out: the person signs in again. */
  async loadAll(): Promise<StoredRecord[]> {
    const rows = await this.#db.select().from(authorizationTable)
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
    const { connectorId, issuer, kind } = authorizationTable
    try {
      await this.#db
        .insert(authorizationTable)
        .values({ ...place, ...fields })
        .onConflictDoUpdate({ target: [connectorId, issuer, kind], set: { ...fields, updatedAt: sql`now()` } })
    } catch (error) {
      if (readErrorCode(error) !== foreignKeyViolation) throw error
    }
  }

  async remove({ connectorId, issuer, kind }: RecordPlace): Promise<void> {
    const table = authorizationTable
    await this.#db
      .delete(table)
      .where(and(eq(table.connectorId, connectorId), eq(table.issuer, issuer), eq(table.kind, kind)))
  }

  /** Forgets everything that signing in to the server of a connector left. */
  async removeAll(connectorId: string): Promise<void> {
    await this.#db.delete(authorizationTable).where(eq(authorizationTable.connectorId, connectorId))
  }
}

function contextOf({ connectorId, issuer, kind }: RecordPlace): string {
  return `downstream_authorization:${connectorId}:${kind}:${issuer}`
}

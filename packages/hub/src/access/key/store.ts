import { ApiKeyView, HubError } from '@herma/contract'
import { asc, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { readErrorCode } from '../../platform/postgres/sql-state.ts'
import { apiKeyTable } from './table.ts'

export interface StoredKey {
  readonly hash: string
  readonly view: ApiKeyView
}

const uniqueViolation = '23505'

/** The rows of API keys. */
export class KeyStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  async loadAll(): Promise<StoredKey[]> {
    const rows = await this.#db.select().from(apiKeyTable).orderBy(asc(apiKeyTable.createdAt))
    return rows.flatMap(({ hash, expiresAt, lastUsedAt, createdAt, ...row }) => {
      const view = ApiKeyView.safeParse({
        ...row,
        expiresAt: expiresAt?.toISOString() ?? null,
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
        createdAt: createdAt.toISOString(),
      })
      // A key that a newer version wrote opens nothing here.
      return view.success ? [{ hash, view: view.data }] : []
    })
  }

  /** Throws KEY_EXISTS when the name is taken. */
  async insert({ hash, view }: StoredKey): Promise<void> {
    const { expiresAt, lastUsedAt: _, createdAt, ...fields } = view
    await this.#db
      .insert(apiKeyTable)
      .values({
        ...fields,
        hash,
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
        createdAt: new Date(createdAt),
      })
      .catch((error: unknown) => {
        if (readErrorCode(error) !== uniqueViolation) throw error
        throw new HubError('KEY_EXISTS', `There is a key '${view.name}' already. Choose another name.`, {
          cause: error,
        })
      })
  }

  async remove(name: string): Promise<void> {
    await this.#db.delete(apiKeyTable).where(eq(apiKeyTable.name, name))
  }

  async saveUses(uses: ReadonlyMap<string, number>): Promise<void> {
    const rows = [...uses].map(([name, at]) => ({ name, at: new Date(at).toISOString() }))
    await this.#db.execute(sql`
      update ${apiKeyTable} set last_used_at = used.at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as used(name text, at timestamptz)
      where ${apiKeyTable.name} = used.name`)
  }
}

import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { traceSettingTable } from '../table.ts'

/** The one row of settings as it is stored. */
export interface StoredSettings {
  readonly retention: unknown
  readonly otlp: unknown
  /** Sealed JSON; null = no headers. */
  readonly otlpHeaders: string | null
}

export class TraceSettingStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  async load(): Promise<StoredSettings | undefined> {
    return (await this.#db.select().from(traceSettingTable))[0]
  }

  async save(settings: StoredSettings): Promise<void> {
    const set = { ...settings, updatedAt: new Date() }
    await this.#db
      .insert(traceSettingTable)
      .values({ only: true, ...set })
      .onConflictDoUpdate({ target: traceSettingTable.only, set })
  }
}

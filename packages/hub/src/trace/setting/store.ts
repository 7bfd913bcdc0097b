import { eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { traceSettingTable } from '../table.ts'

/** The one row of settings as it is stored. */
export interface StoredSettings {
  readonly retention: unknown
  readonly otlp: unknown
  /** Sealed JSON; null = no headers. */
  readonly otlpHeaders: string | null
}

/** Says whose text the sealed headers are. */
export const headerContext = 'trace_setting:otlp_headers'

export class TraceSettingStore {
  /** For people. */
  readonly name = 'trace settings'
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

  /** Seals the headers anew when `renew` says so, unless somebody changes them meanwhile. There is one row only. */
  async reseal(renew: (sealed: string, context: string) => string | null): Promise<null> {
    const sealed = (await this.load())?.otlpHeaders ?? null
    const renewed = sealed === null ? null : renew(sealed, headerContext)
    if (sealed === null || renewed === null) return null
    const isUnchanged = eq(traceSettingTable.otlpHeaders, sealed)
    await this.#db.update(traceSettingTable).set({ otlpHeaders: renewed }).where(isUnchanged)
    return null
  }
}

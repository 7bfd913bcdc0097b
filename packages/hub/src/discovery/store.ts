import { InstallSource, type DiscoverySettings } from '@herma/contract'
import { and, eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'
import { discoveryInstallTable, discoverySettingTable } from './table.ts'

/** What an install brought, with the state that it left. */
export const InstallRecord = z.object({
  source: InstallSource,
  title: z.string(),
  connectors: z.array(z.object({ id: z.string(), name: z.string(), hash: z.string() })),
  files: z.array(z.object({ path: z.string().describe('Inside the folder of the bundle.'), hash: z.string() })),
  secrets: z.array(z.string()),
})
export type InstallRecord = z.infer<typeof InstallRecord>

export interface StoredInstall extends InstallRecord {
  readonly kind: 'bundle' | 'connector'
  /** Name of the bundle, or id of the connector. */
  readonly key: string
  readonly createdAt: Date
}

const settingPart = 'discovery'

export class DiscoveryStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  /** Rows that a newer version wrote and this one cannot read are left alone. */
  async loadInstalls(): Promise<StoredInstall[]> {
    const rows = await this.#db.select().from(discoveryInstallTable)
    return rows.flatMap(({ kind, key, value, createdAt }) => {
      const record = InstallRecord.safeParse(value)
      return record.success
        ? [{ ...record.data, kind: kind === 'bundle' ? 'bundle' : 'connector', key, createdAt }]
        : []
    })
  }

  async saveInstall(kind: StoredInstall['kind'], key: string, value: InstallRecord): Promise<void> {
    const set = { value, createdAt: new Date() }
    await this.#db
      .insert(discoveryInstallTable)
      .values({ kind, key, ...set })
      .onConflictDoUpdate({ target: [discoveryInstallTable.kind, discoveryInstallTable.key], set })
  }

  async removeInstall(kind: StoredInstall['kind'], key: string): Promise<void> {
    await this.#db
      .delete(discoveryInstallTable)
      .where(and(eq(discoveryInstallTable.kind, kind), eq(discoveryInstallTable.key, key)))
  }

  async loadSettings(): Promise<unknown> {
    const [row] = await this.#db.select().from(discoverySettingTable).where(eq(discoverySettingTable.part, settingPart))
    return row?.value
  }

  async saveSettings(value: DiscoverySettings): Promise<void> {
    const set = { value, updatedAt: new Date() }
    await this.#db
      .insert(discoverySettingTable)
      .values({ part: settingPart, ...set })
      .onConflictDoUpdate({ target: discoverySettingTable.part, set })
  }
}

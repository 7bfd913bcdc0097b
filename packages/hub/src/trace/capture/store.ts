import { Capture } from '@herma/contract'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { captureTable } from '../table.ts'

/** Reads and writes what is recorded of served servers. */
export class CaptureStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  async load(): Promise<Map<string, Capture>> {
    const rows = await this.#db.select().from(captureTable)
    return new Map(
      rows.flatMap(({ server, updatedAt: _, ...row }) => {
        // A row that a newer version wrote counts as absent.
        const read = Capture.safeParse(row)
        return read.success ? [[server, read.data] as const] : []
      }),
    )
  }

  async save(server: string, capture: Capture): Promise<void> {
    const set = { ...capture, updatedAt: new Date() }
    await this.#db
      .insert(captureTable)
      .values({ server, ...set })
      .onConflictDoUpdate({ target: captureTable.server, set })
  }
}

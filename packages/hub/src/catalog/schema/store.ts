import { and, eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'
import { fromText, toStoredText } from '../pin/stored-text.ts'
import { schemaStatusTable } from './table.ts'

const StoredAdaptation = z.object({
  connectorId: z.string(),
  tool: z.string(),
  hash: z.string(),
  exposed: z.enum(['none', 'generic']).describe('generic = any object.'),
  reason: z.string(),
  at: z.date(),
})
export type StoredAdaptation = Readonly<z.infer<typeof StoredAdaptation>>

/** The rows of tools whose output schema does not hold. */
export class SchemaStatusStore {
  readonly #db: NodePgDatabase

  constructor(db: NodePgDatabase) {
    this.#db = db
  }

  async loadAll(): Promise<StoredAdaptation[]> {
    const rows = await this.#db.select().from(schemaStatusTable)
    // One that cannot be read is found out again by the next call of its tool.
    return rows.flatMap((row) => StoredAdaptation.safeParse({ ...row, tool: fromText(row.tool) }).data ?? [])
  }

  async save({ connectorId, tool, ...fields }: StoredAdaptation): Promise<void> {
    await this.#db
      .insert(schemaStatusTable)
      .values({ connectorId, tool: toStoredText(tool), ...fields })
      .onConflictDoUpdate({ target: [schemaStatusTable.connectorId, schemaStatusTable.tool], set: fields })
  }

  async remove(connectorId: string, tool: string): Promise<void> {
    const isMeant = and(eq(schemaStatusTable.connectorId, connectorId), eq(schemaStatusTable.tool, toStoredText(tool)))
    await this.#db.delete(schemaStatusTable).where(isMeant)
  }
}

import { randomUUID } from 'node:crypto'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { hubIdTable } from './table.ts'

/** The id of this database, made up once. Hubs that share it are one hub to others. */
export async function readHubId(db: NodePgDatabase): Promise<string> {
  await db.insert(hubIdTable).values({ id: randomUUID() }).onConflictDoNothing()
  const [row] = await db.select({ id: hubIdTable.id }).from(hubIdTable)
  return row!.id
}

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HubError } from '@herma/contract'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type pg from 'pg'

// Any number that nobody else uses in the same database.
const lockKey = 4_376_000_001

/** Brings the schema up to date. Hubs that do it at the same time wait for each other. */
export async function migrateStore(pool: pg.Pool, migrationsFolder = findMigrations()): Promise<void> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await rejectNewerSchema(client, migrationsFolder)
    await migrate(drizzle(client), { migrationsFolder })
    await client.query('select pg_advisory_unlock($1)', [lockKey])
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // A connection that failed half way may still hold the lock; closing it lets go.
    client.release(failure)
  }
}

async function rejectNewerSchema(client: pg.PoolClient, migrationsFolder: string): Promise<void> {
  const found = await client.query<{ name: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations') as name`,
  )
  if (found.rows[0]?.name == null) return
  const applied = await client.query<{ at: string | null }>(
    'select max(created_at) as at from drizzle.__drizzle_migrations',
  )
  const newestKnown = Math.max(...readMigrationFiles({ migrationsFolder }).map((migration) => migration.folderMillis))
  if (Number(applied.rows[0]?.at ?? 0) <= newestKnown) return
  throw new HubError(
    'STORE_UNAVAILABLE',
    'A newer version of Herma wrote this store. Start that version, or restore a backup made before the upgrade.',
  )
}

// From source this file is packages/hub/src/platform/store/, in the bundle packages/hub/dist/, in one for tests a level deeper.
function findMigrations(): string {
  const candidates = ['../../../migrations', '../../migrations', '../migrations'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const folder = candidates.find((candidate) => existsSync(`${candidate}/meta/_journal.json`))
  if (folder) return folder
  throw new HubError(
    'STORE_UNAVAILABLE',
    `The folder of migrations is missing: looked for ${candidates.join(' and ')}. Install Herma again.`,
  )
}

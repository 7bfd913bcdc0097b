import { join } from 'node:path'
import pg from 'pg'
import { databaseName, databaseUser } from '../../../packages/hub/src/platform/postgres/greet.ts'
import { readPostmasterFile } from '../../../packages/hub/src/platform/postgres/postmaster-file.ts'

/** Every row of every table as text, since what PostgreSQL compressed cannot be found in its files. Writes all to disk. */
export async function dumpDatabase(stateHome: string): Promise<Map<string, string>> {
  const server = readPostmasterFile(join(stateHome, 'postgres/data'))
  if (server === undefined) throw new Error('No database runs.')
  const { socketDirectory: host, port } = server
  const client = new pg.Client({ host, port, user: databaseUser, database: databaseName })
  await client.connect()
  try {
    const found = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const tables = new Map<string, string>()
    for (const { name } of found.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      tables.set(name, rows.map(({ row }) => row).join('\n'))
    }
    await client.query('checkpoint')
    return tables
  } finally {
    await client.end()
  }
}

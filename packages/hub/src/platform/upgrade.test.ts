import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { migrateStore } from './store/migrate-store.ts'
import { startEmbeddedPostgres } from './postgres/index.ts'
import { createTemporaryHome } from './testing/temporary-home.ts'

test('events of before survive the upgrade', async () => {
  const home = await createTemporaryHome()
  const database = await startEmbeddedPostgres({ stateHome: home.path, log: createLog('silent') })
  const pool = new pg.Pool({ ...database.connection, max: 4 })
  const all = fileURLToPath(new URL('../../migrations', import.meta.url))
  const old = mkdtempSync(join(tmpdir(), 'herma-old-'))
  try {
    cpSync(all, old, { recursive: true })
    const journal = join(old, 'meta/_journal.json')
    const parsed = JSON.parse(readFileSync(journal, 'utf8')) as { entries: unknown[] }
    writeFileSync(journal, JSON.stringify({ ...parsed, entries: parsed.entries.slice(0, 4) }))
    await migrateStore(pool, old)
    // Five hundred a second apart, and three hundred of one moment.
    await pool.query(
      `insert into event (at, kind, connector, data) select now() - make_interval(secs => n), 'k' || n, 'c', '{"n":1}' from generate_series(1, 500) n`,
    )
    await pool.query(
      `insert into event (at, kind, connector, data) select '2026-11-01T00:00:00Z', 'same', 'c', '{}' from generate_series(1, 300) n`,
    )
    await migrateStore(pool, all)
    const { rows } = await pool.query<{ count: string; ids: string }>(
      'select count(*) as count, count(distinct id) as ids from event',
    )
    expect(rows).toEqual([{ count: '800', ids: '800' }])
    const newest = await pool.query('select kind, id from event order by id desc limit 1')
    expect(newest.rows[0]).toMatchObject({ kind: 'k1' })
  } finally {
    await pool.end()
    await database.stop()
    await home.remove()
    rmSync(old, { recursive: true, force: true })
  }
})

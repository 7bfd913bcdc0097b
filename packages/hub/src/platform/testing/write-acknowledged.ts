// Writes rows in a loop and prints the number of each one only after the store has acknowledged it.
import { BatchWriter } from '../store/batch-writer.ts'
import { createLog } from '../log.ts'
import { openStore } from '../store/store.ts'

const [stateHome = '', databaseUrl] = process.argv.slice(2)
const log = createLog('info')
const store = await openStore({ stateHome, databaseUrl, log })
await store.pool.query('create table if not exists acknowledged (number integer primary key)')
const writer = new BatchWriter<number>({
  name: 'acknowledged',
  log,
  maxBatch: 7,
  maxDelayMs: 1,
  write: async (rows) => void (await store.pool.query('insert into acknowledged select unnest($1::integer[])', [rows])),
})

const found = await store.pool.query<{ next: number }>('select coalesce(max(number), 0) + 1 as next from acknowledged')
for (let next = found.rows[0]?.next ?? 1; ; next += 10) {
  for (let offset = 0; offset < 10; offset++) writer.add(next + offset)
  await writer.flush()
  process.stdout.write(`acknowledged ${next + 9}\n`)
}

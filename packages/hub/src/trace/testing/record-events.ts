// Records numbered events in a loop and prints the number of the last one only after the store has acknowledged it.
import { Events } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { openStore } from '../../platform/store/store.ts'
import { openTrace } from '../index.ts'

const [stateHome = '', databaseUrl] = process.argv.slice(2)
const log = createLog('warn')
const store = await openStore({ stateHome, databaseUrl, log })
const events = new Events()
const { management } = await openTrace({
  store,
  events,
  log,
  version: '0',
  masks: { redact: (text) => text, redactValue: (value) => value },
  seals: { seal: (text) => text, open: (text) => text },
  servers: () => [],
  onSecrets: () => undefined,
  resolveSecrets: (text) => text,
  metrics: () => [],
})
const found = await store.pool.query<{ next: number }>(
  `select coalesce(max((data->>'number')::integer), 0) + 1 as next from event where kind = 'test.counted'`,
)
for (let next = found.rows[0]?.next ?? 1; ; next += 500) {
  for (let offset = 0; offset < 500; offset++) {
    events.emit('test.counted', null, { number: next + offset, text: 'x'.repeat(200) })
    events.emit('test.added', null, { number: next + offset })
  }
  await management.traces.find({ limit: 1 })
  // A store that is slow lets a search through before everything is written.
  if (management.stats().events.queued + management.stats().audit.queued === 0)
    process.stdout.write(`stored ${next + 499}\n`)
}

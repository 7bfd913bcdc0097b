// What recording costs: events at a steady rate into the embedded database, through the classes that the hub uses.
// It runs in one process of its own; the database is another, as in a hub.
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { Events, type HubEvent } from '../../packages/hub/src/platform/events.ts'
import { createLog } from '../../packages/hub/src/platform/log.ts'
import { migrateStore } from '../../packages/hub/src/platform/store/migrate-store.ts'
import { startEmbeddedPostgres } from '../../packages/hub/src/platform/postgres/index.ts'
import type { Store } from '../../packages/hub/src/platform/store/store.ts'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { Redactor } from '../../packages/hub/src/secret/index.ts'
import { openTrace, type OpenTrace } from '../../packages/hub/src/trace/index.ts'
import { describeMachine } from './machine/describe-machine.ts'
import { watchOtherWork } from './machine/other-work.ts'
import { isMissed, renderGoalRows, type GoalRow } from './report/render-goal-rows.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '60' },
    write: { type: 'boolean', default: false },
  },
})
const rate = Number(values.rate)
const seconds = Number(values.seconds)
const secretCount = 100
const tickMs = 5
const burst = 20_000

// As flat as they arrive in a hub: text that is put together on the fly would be measured too.
const traceIds = Array.from({ length: 100_000 }, () => randomBytes(16).toString('hex'))
const spanIds = traceIds.map(() => randomBytes(8).toString('hex'))
const targets = Array.from({ length: 300 }, (_, index) => Buffer.from(`server${index % 20}__tool_${index}`).toString())
const names = Array.from({ length: 20 }, (_, index) => Buffer.from(`server${index}`).toString())

const log = createLog('warn')
const home = await createTemporaryHome()
const database = await startEmbeddedPostgres({ stateHome: home.path, log })
const pool = new pg.Pool({ ...database.connection, max: 10 })
pool.on('error', () => undefined)
try {
  await migrateStore(pool, fileURLToPath(new URL('../../packages/hub/migrations', import.meta.url)))
  const db = drizzle(pool)
  const [isHealthy, problem, stop] = [async () => true, async () => null, async () => undefined]
  await measure({ db, pool, kind: 'embedded', isHealthy, problem, restarted: database.restarted, stop })
} finally {
  await pool.end()
  await database.stop()
  await home.remove()
}

async function measure(store: Store): Promise<void> {
  const redactor = new Redactor()
  redactor.set(
    'bench',
    Array.from({ length: secretCount }, (_, index) => `secret-value-${index}-9f3c1d77`),
  )
  const events = new Events()
  const trace = await openTrace({
    store,
    events,
    log,
    version: '0',
    masks: { redact: (text) => redactor.redact(text), redactValue: (value) => redactor.redactValue(value) },
    seals: { seal: (text) => text, open: (text) => text },
    servers: () => ['facade'],
    onSecrets: () => undefined,
    resolveSecrets: (text) => text,
    metrics: () => [],
  })
  // Machine code first: what is measured is a hub that has been running for a while.
  for (let round = 0; round < 5; round++) await recordBurst(events, trace)
  const perEvent = await medianBurst(events, trace)
  const steady = await recordSteadily(events, trace)
  const found = await pool.query<{ count: string; bytes: string }>(
    `select (select count(*) from event) as count, sum(pg_total_relation_size(inhrelid)) as bytes
     from pg_inherits where inhparent = 'event'::regclass`,
  )
  const { count, bytes } = found.rows[0]!
  await trace.stop()
  report({ perEvent, steady, bytesEach: Number(bytes) / Number(count) })
}

/** Microseconds of processor time on the caller's side of each event; the rest happens later, in batches. */
async function medianBurst(events: Events, trace: OpenTrace): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 7; round++) times.push(await recordBurst(events, trace))
  return times.toSorted((a, b) => a - b)[3]!
}

async function recordBurst(events: Events, trace: OpenTrace): Promise<number> {
  const made = Array.from({ length: burst }, (_, index) => finishedCall(index))
  const before = process.cpuUsage()
  for (const event of made) events.record(event)
  const { user, system } = process.cpuUsage(before)
  while (trace.management.stats().events.queued > 0) await sleep(20)
  return (user + system) / burst
}

interface Steady {
  readonly emitted: number
  readonly written: number
  readonly dropped: number
  readonly maxQueued: number
  readonly seconds: number
  /** Share of one core. */
  readonly cpu: number
  readonly databaseCpu: number
  readonly delayMs: number
  /** Share of the machine that neither this process nor the database used. */
  readonly otherWork: number
}

async function recordSteadily(events: Events, trace: OpenTrace): Promise<Steady> {
  const before = trace.management.stats().events
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const otherWork = watchOtherWork()
  const cpuBefore = process.cpuUsage()
  const databaseBefore = databaseCpuMs()
  const startedAt = performance.now()
  let emitted = 0
  let maxQueued = 0
  delay.enable()
  while (performance.now() - startedAt < seconds * 1000) {
    const due = Math.min(((performance.now() - startedAt) / 1000) * rate, rate * seconds)
    for (; emitted < due; emitted++) events.record(finishedCall(emitted))
    maxQueued = Math.max(maxQueued, trace.management.stats().events.queued)
    await sleep(tickMs)
  }
  const took = (performance.now() - startedAt) / 1000
  while (trace.management.stats().events.queued > 0) await sleep(10)
  const settled = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const after = trace.management.stats().events
  const databaseMs = databaseCpuMs() - databaseBefore
  return {
    emitted,
    written: after.written - before.written,
    dropped: after.dropped - before.dropped,
    maxQueued,
    seconds: settled,
    cpu: (user + system) / 1e6 / took,
    databaseCpu: databaseMs / 1000 / took,
    delayMs: delay.percentile(99) / 1e6,
    otherWork: otherWork() - databaseMs / 1000 / settled / describeMachine().cores,
  }
}

function finishedCall(index: number): HubEvent {
  const traceId = traceIds[index % traceIds.length]!
  return {
    kind: 'call.finished',
    at: Date.now(),
    connector: names[index % names.length]!,
    traceId,
    spanId: spanIds[index % spanIds.length]!,
    principal: 'key:agent',
    server: 'facade',
    connection: '3f1e7c52-8a52-4f55-9b0a-0f6f2b7f0a11',
    route: 'mcp:stream',
    transport: 'stream',
    era: 'modern',
    method: 'tools/call',
    target: targets[index % targets.length]!,
    requestBytes: 180,
    responseBytes: 950,
    ms: 1.25,
    outcome: 'ok',
    data: {},
  }
}

/** Processor time of the database server and its children so far; without Linux nothing is known. */
function databaseCpuMs(): number {
  try {
    const pid = readFileSync(`${home.path}/postgres/data/postmaster.pid`, 'utf8').split('\n')[0]
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const ticks = [pid, ...children].map((each) => {
      const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]!.split(' ')
      return Number(fields[11]) + Number(fields[12]) + (each === pid ? Number(fields[13]) + Number(fields[14]) : 0)
    })
    return ticks.reduce((sum, each) => sum + each, 0) * 10
  } catch {
    return Number.NaN
  }
}

function report(found: { perEvent: number; steady: Steady; bytesEach: number }): void {
  const { perEvent, steady } = found
  const number = (value: number) => Math.round(value).toLocaleString('en')
  const rows: GoalRow[] = [
    [`${number(rate)} events/s for ${seconds} s: lost`, '0', number(steady.dropped), steady.dropped === 0],
    ['the same: stored', number(steady.emitted), number(steady.written), steady.written === steady.emitted],
    ['stored until', '', `${steady.seconds.toFixed(1)} s`, true],
    ['most events that waited at one time', '', number(steady.maxQueued), true],
    ['caller’s side of one event, median of 7 bursts', '≤ 4 µs', `${perEvent.toFixed(2)} µs`, perEvent <= 4],
    ['processor time of the hub’s process', '', `${(steady.cpu * 100).toFixed(0)} % of a core`, true],
    ['processor time of the database', '', `${(steady.databaseCpu * 100).toFixed(0)} % of a core`, true],
    ['event loop, 99th percentile of its delay', '', `${steady.delayMs.toFixed(1)} ms`, true],
    ['other work on the machine meanwhile', '', `${(steady.otherWork * 100).toFixed(0)} % of it`, true],
    ['room for one event, indexes included', '', `${number(found.bytesEach)} bytes`, true],
  ]
  const table = renderGoalRows(rows)
  process.stdout.write(`${table}\n`)
  if (rows.some(isMissed)) process.exitCode = 1
  if (!values.write) return
  const { cpu, cores, memoryGb, node, date } = describeMachine()
  const head =
    '# Events\n\nWritten by `npm run bench -- events --write`. Each event is a finished call with all of its fields; ' +
    `${secretCount} secrets are known, so every name is searched for them. The database is the embedded one with its ` +
    `usual settings, on the same machine: ${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, ${date}. Above 10 % of ` +
    'other work the figures are worse than they would be.\n\n'
  writeFileSync(fileURLToPath(new URL('../EVENTS.md', import.meta.url)), `${head}${table}\n`)
}

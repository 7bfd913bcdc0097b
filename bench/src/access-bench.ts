// What recording and keys cost a call: the same hub three times, side by side in the same rounds.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cases } from './cases.ts'
import { describeMachine } from './machine/describe-machine.ts'
import { watchOtherWork } from './machine/other-work.ts'
import { stopAllProcesses } from './machine/start-process.ts'
import { pairedRatio } from './report/paired-ratio.ts'
import { LoadClient } from './run/load-client.ts'
import { runGroup, type Measurement } from './run/run-group.ts'
import { createHerma } from './target/herma.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    write: { type: 'boolean', default: false },
  },
})
const names = ['http/legacy/echo/c16', 'http/legacy/echo/c64', 'http/modern/echo/c64']
const quiet = createHerma('quiet', 'records nothing', async (ask) => {
  await ask('PATCH', '/api/traces/capture/facade', { level: 'off' })
  return undefined
})
const recording = createHerma('recording', 'one event for each call, as it comes')
const keyed = createHerma('keyed', 'the same, and every call shows an API key', async (ask) => {
  const limits = { callsPerMinute: null, concurrency: null }
  const { key } = (await ask('POST', '/api/access/keys', { name: 'bench', limits })) as { key: string }
  return key
})

const client = new LoadClient()
const otherWork = watchOtherWork()
let measurements: Measurement[] = []
try {
  const ran = await runGroup({
    cases: cases.filter(({ name }) => names.includes(name)),
    targets: [quiet, recording, keyed],
    rounds: Number(values.rounds),
    warmMs: 300,
    measureMs: Number(values.seconds) * 1000,
    client,
    say: (line) => void process.stderr.write(`${line}\n`),
  })
  measurements = ran.measurements
} finally {
  await client.close()
  await stopAllProcesses()
}
const text = report()
process.stdout.write(text)
if (values.write) writeFileSync(fileURLToPath(new URL('../ACCESS.md', import.meta.url)), text)

function report(): string {
  const { cpu, cores, memoryGb, node, date } = describeMachine()
  const compare = (name: string, pair: [string, string], pick: (result: Measurement['result']) => number | null) =>
    pairedRatio(
      measurements,
      [
        { case: name, target: pair[0] },
        { case: name, target: pair[1] },
      ],
      pick,
    )
  const rows = names.flatMap((name) => [
    row(`${name}: calls/s with events to without`, compare(name, ['recording', 'quiet'], calls), 0.85),
    row(`${name}: calls/s with a key to without`, compare(name, ['keyed', 'recording'], calls), 0.95),
  ])
  return [
    '# Recording and keys',
    '',
    `Written by \`npm run bench -- access --write\`: three hubs in the same rounds, the median of each round's own ratio. ${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, ${date}.`,
    `Other work meanwhile: ${Math.round(otherWork() * 100)} % of the machine.`,
    '',
    '| what | wanted | got | |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function calls({ callsPerSecond }: Measurement['result']): number {
  return callsPerSecond
}

function row(what: string, ratio: number | undefined, wanted: number): string {
  if (ratio === undefined) return `| ${what} | ≥ ${wanted} × | no round | |`
  return `| ${what} | ≥ ${wanted} × | ${ratio.toFixed(2)} × | ${ratio >= wanted ? 'holds' : 'does not hold'} |`
}

// What recording, keys and rules cost a call: the same hub five times, side by side in the same rounds.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cases } from './cases.ts'
import { describeMachine } from './machine/describe-machine.ts'
import { watchOtherWork } from './machine/other-work.ts'
import { stopAllProcesses } from './machine/start-process.ts'
import { median } from './client/percentile.ts'
import { pairedRatio } from './report/paired-ratio.ts'
import { LoadClient } from './run/load-client.ts'
import { runGroup, type Measurement } from './run/run-group.ts'
import { createHerma, type AskHub } from './target/herma.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    write: { type: 'boolean', default: false },
  },
})
const names = ['http/legacy/echo/c16', 'http/legacy/echo/c64', 'http/modern/echo/c64']
const capture = (level: string) => (ask: AskHub) => ask('PATCH', '/api/traces/capture/facade', { level })
const showKey = async (ask: AskHub) => {
  const limits = { callsPerMinute: null, concurrency: null }
  const { key } = (await ask('POST', '/api/access/keys', { name: 'bench', limits })) as { key: string }
  return key
}
const quiet = createHerma({
  name: 'quiet',
  note: 'records nothing, asks for no key, has no rule',
  prepare: async (ask) => void (await capture('off')(ask)),
})
const recording = createHerma({ name: 'recording', note: 'one event for each call, as it comes' })
const keyed = createHerma({ name: 'keyed', note: 'the same, and every call shows an API key', prepare: showKey })
const ruled = createHerma({
  name: 'ruled',
  note: 'the same, and a rule that is asked for every call',
  prepare: async (ask) => {
    const rule = { effect: 'deny', when: 'tool.startsWith("github__") && !annotations.readOnlyHint' }
    await ask('POST', '/api/access/rules', rule)
    return showKey(ask)
  },
})
const messages = createHerma({
  name: 'messages',
  note: 'capture of messages',
  prepare: async (ask) => void (await capture('messages')(ask)),
})

const client = new LoadClient()
const otherWork = watchOtherWork()
let measurements: Measurement[] = []
try {
  const ran = await runGroup({
    cases: cases.filter(({ name }) => names.includes(name)),
    targets: [quiet, recording, keyed, ruled, messages],
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
    row(`${name}: calls/s with events to without`, compare(name, ['recording', 'quiet'], calls), 0.9),
    row(`${name}: calls/s with a key to without`, compare(name, ['keyed', 'recording'], calls), 0.95),
    row(`${name}: calls/s with events, key and rule to without`, compare(name, ['ruled', 'quiet'], calls), 0.9),
    row(`${name}: calls/s with messages to without`, compare(name, ['messages', 'quiet'], calls), 0.75),
    costRow(`${name}: CPU µs of recording a call`, ['recording', 'quiet'], name),
  ])
  return [
    '# Recording and keys',
    '',
    `Written by \`npm run bench -- access --write\`: five hubs in the same rounds, the median of each round's own ratio. ${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, ${date}.`,
    `Other work meanwhile: ${Math.round(otherWork() * 100)} % of the machine.`,
    '',
    '| what | wanted | got | |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The median of what the first takes longer for a call than the second, in the same round. */
function costRow(what: string, [first, second]: [string, string], name: string): string {
  const cpu = (target: string, round: number) =>
    measurements.find((each) => each.case === name && each.target === target && each.round === round)?.result
      .cpuUsPerCall
  const costs = [...new Set(measurements.map(({ round }) => round))].flatMap((round) => {
    const [one, other] = [cpu(first, round), cpu(second, round)]
    return one == null || other == null ? [] : [one - other]
  })
  const cost = median(costs)
  return `| ${what} | ≤ 8 | ${cost.toFixed(1)} | ${cost <= 8 ? 'holds' : 'does not hold'} |`
}

function calls({ callsPerSecond }: Measurement['result']): number {
  return callsPerSecond
}

function row(what: string, ratio: number | undefined, wanted: number): string {
  if (ratio === undefined) return `| ${what} | ≥ ${wanted} × | no round | |`
  return `| ${what} | ≥ ${wanted} × | ${ratio.toFixed(2)} × | ${ratio >= wanted ? 'holds' : 'does not hold'} |`
}

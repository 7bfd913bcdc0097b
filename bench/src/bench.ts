// The bench: reads the options, runs the groups of cases, measures the hub at rest, and reports.
import { mkdir, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { cases } from './cases.ts'
import { pinProcesses } from './machine/cores.ts'
import { describeMachine } from './machine/describe-machine.ts'
import { watchOtherWork } from './machine/other-work.ts'
import { stopAllProcesses } from './machine/start-process.ts'
import { measureFootprint } from './measure/footprint.ts'
import { HELP, parseOptions, type BenchOptions } from './options.ts'
import { reportPath, resultsPath } from './paths.ts'
import { judgeGoals } from './report/judge-goals.ts'
import { renderMarkdown, renderText, type Results } from './report/render-report.ts'
import { summarise } from './report/summarise.ts'
import { LoadClient } from './run/load-client.ts'
import { runGroup, type Measurement } from './run/run-group.ts'
import type { Omission } from './run/stage.ts'
import { installPeers } from './target/install-peers.ts'
import type { Target } from './target/target.ts'

const say = (line: string) => void process.stderr.write(`${line}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void stopAllProcesses().finally(() => process.exit(130)))
}

try {
  process.exitCode = await main()
} catch (error) {
  say((error as Error).message)
  process.exitCode = 1
} finally {
  await stopAllProcesses()
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(HELP)
    return 0
  }
  if (options === 'list') {
    process.stdout.write(`${cases.map((each) => each.name).join('\n')}\nfootprint\n`)
    return 0
  }
  if (process.platform !== 'linux') throw new Error('The bench reads CPU and memory from /proc and needs Linux.')
  const results = await run(options)
  process.stdout.write(`${renderText(results)}\n`)
  const out = options.out ?? resultsPath()
  await mkdir(dirname(out), { recursive: true })
  await writeFile(out, `${JSON.stringify(results, null, 2)}\n`)
  say(`Wrote ${out}`)
  if (options.writesReport) {
    await writeFile(reportPath(), renderMarkdown(results))
    say(`Wrote ${reportPath()}`)
  }
  return reportFailures(results, options)
}

async function run(options: BenchOptions): Promise<Results> {
  const { targets, rounds, warmMs, measureMs, isQuick } = options
  const measurements: Measurement[] = []
  const omissions: Omission[] = []
  const usable = withoutMissingPrograms(await withoutMissingPeers(options, omissions), omissions, options)
  const notPinned = options.isPinned ? pinProcesses() : 'as wanted'
  if (notPinned !== null) say(`Processes are not pinned: ${notPinned}`)
  const otherWork = watchOtherWork()
  const client = new LoadClient()
  try {
    for (const group of new Set(options.cases.map((each) => each.group))) {
      const groupCases = options.cases.filter((each) => each.group === group)
      const found = await runGroup({ cases: groupCases, targets: usable, rounds, warmMs, measureMs, client, say })
      measurements.push(...found.measurements)
      omissions.push(...found.omissions)
    }
  } finally {
    await client.close()
  }
  const hasHerma = targets.some((target) => target.kind === 'ours')
  if (options.hasFootprint && hasHerma) say('Measuring the hub at rest …')
  const footprint = options.hasFootprint && hasHerma ? await measureFootprint(isQuick) : null
  return {
    machine: describeMachine(),
    otherWork: otherWork(),
    isPinned: notPinned === null,
    rounds,
    measureMs,
    targets: targets.map(({ name, note }) => ({ name, note })),
    cases: options.cases,
    rows: summarise(measurements, targets),
    measurements,
    omissions,
    footprint,
    goals: judgeGoals(measurements, footprint),
  }
}

/** Peers need the npm registry once; without it the rest of the bench is still worth running. */
async function withoutMissingPeers({ targets, cases: chosen }: BenchOptions, omissions: Omission[]) {
  if (!targets.some((target) => target.kind === 'peer') || chosen.length === 0) return targets
  try {
    await installPeers(say)
    return targets
  } catch (error) {
    say(`THE NPM PEERS COULD NOT BE INSTALLED and are left out: ${(error as Error).message}`)
    const reason = `not installed: ${(error as Error).message}`
    for (const { name, kind } of targets) {
      if (kind === 'peer') omissions.push({ case: 'all', target: name, reason, isFailure: true })
    }
    return targets.filter((target) => target.kind !== 'peer')
  }
}

/** Foreign targets are measured where their program is installed. */
function withoutMissingPrograms(
  targets: Target[],
  omissions: Omission[],
  { areTargetsChosen }: BenchOptions,
): Target[] {
  return targets.filter(({ name, program }) => {
    if (program === undefined || isOnPath(program)) return true
    omissions.push({
      case: 'all',
      target: name,
      reason: `there is no ${program} on the PATH`,
      isFailure: areTargetsChosen,
    })
    return false
  })
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}

/** Wrong answers fail the run, and so does a target of ours, or one that was asked for, that could not be measured. */
function reportFailures({ rows, omissions }: Results, { targets, areTargetsChosen }: BenchOptions): number {
  const wrong = rows.filter((row) => row.failures > 0)
  for (const row of wrong)
    say(`WRONG ANSWERS: ${row.target} in ${row.case}: ${row.failures}, ${row.failureReasons.join('; ')}`)
  const peers = new Set(targets.filter((target) => target.kind === 'peer').map((target) => target.name))
  const broken = omissions.filter((each) => each.isFailure && (areTargetsChosen || !peers.has(each.target)))
  for (const each of broken) say(`NOT MEASURED: ${each.target} in ${each.case}: ${each.reason}`)
  return wrong.length + broken.length > 0 ? 1 : 0
}

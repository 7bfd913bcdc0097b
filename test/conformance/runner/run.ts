import { compareWithBaseline, findMissing, readBaseline, recordResults, writeBaseline } from './baseline.ts'
import { findUnknownEntries } from './cannot-cross.ts'
import { inLanes } from './in-lanes.ts'
import { installSuite } from './install-suite.ts'
import { parseOptions, usage, type Options } from './options.ts'
import { printReport } from './print-report.ts'
import { printTotal, type Column } from './print-table.ts'
import { runAuthorizationLeg } from './run-authorization-leg.ts'
import { runClientLegs } from './run-client-legs.ts'
import { runServerLeg } from './run-server-leg.ts'

const laneCount = 2

/** Runs what the command line asks for, prints the tables and returns the exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    const options = parseOptions(args)
    if (!options.help) return await runLegs(options)
    process.stdout.write(usage)
    return 0
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) process.stderr.write(`${cause.message}\n`)
    return 2
  }
}

async function runLegs(options: Options): Promise<number> {
  const columns = await collect(options)
  const ran = columns.filter(({ results, notYet }) => results.length + notYet.length > 0)
  if (ran.length === 0) throw new Error(`No scenario is named ${options.scenarios.join(' or ')} on these legs.`)
  process.stdout.write(printReport(ran, options.legs))

  const baseline = await readBaseline()
  const recorded = baseline[options.framework ? 'framework' : options.direct ? 'direct' : 'through']
  if (options.update) {
    for (const { name, results } of ran) recorded[name] = recordResults(results, recorded[name])
    await writeBaseline(baseline)
    process.stdout.write('\nRecorded in test/conformance/baseline.json.\n')
  }
  const isWhole = options.scenarios.length === 0
  const problems = ran.flatMap(({ name, results }) =>
    [
      ...compareWithBaseline(results, recorded[name]),
      ...findCrossed(results),
      ...(isWhole ? findMissing(results, recorded[name]) : []),
    ].map((problem) => `${name}: ${problem}`),
  )
  if (isWhole) problems.push(...findUnknownEntries(ran))
  const verdict =
    problems.length === 0
      ? 'As good as the baseline.'
      : `Worse than the baseline:\n${problems.map((problem) => `  ${problem}`).join('\n')}`
  process.stdout.write(`\n${verdict}\n`)
  return problems.length === 0 ? 0 : 1
}

async function collect(options: Options): Promise<Column[]> {
  const suite = await installSuite()
  process.stdout.write(`MCP conformance suite ${suite.version}, ${wayOf(options)}\n`)
  const serverLegs = options.legs.filter((leg) => leg.side === 'server')
  const servers = await inLanes(serverLegs, laneCount, async (leg) => {
    const column = await runServerLeg(suite, leg, options).catch(couldNotRun(leg.name))
    tell(column)
    return column
  })
  const clientLegs = options.legs.filter((leg) => leg.side === 'client')
  const clients = await runClientLegs(suite, clientLegs, options).catch(couldNotRun('The client legs'))
  clients.forEach(tell)
  const authorizationLegs = options.legs.filter((leg) => leg.side === 'authorization')
  const authorizations = await inLanes(authorizationLegs, 1, async (leg) => {
    const column = await runAuthorizationLeg(suite, leg, options).catch(couldNotRun(leg.name))
    tell(column)
    return column
  })
  return [...servers, ...clients, ...authorizations]
}

function wayOf({ framework, direct }: Options): string {
  if (framework) return 'against a server of the framework'
  return direct ? 'without a hub' : 'through Herma'
}

function tell(column: Column): void {
  process.stdout.write(`  ${column.name}: ${printTotal(column)}\n`)
}

function couldNotRun(what: string) {
  return (cause: unknown) => Promise.reject(new Error(`${what} could not run.`, { cause }))
}

/** What is excused has to fail, so that the list of excuses stays honest. */
function findCrossed(results: Column['results']): string[] {
  return results.flatMap(({ scenario, crossed }) =>
    crossed.map((id) => `${scenario}: ${id} passes now. Take it off runner/cannot-cross.ts.`),
  )
}

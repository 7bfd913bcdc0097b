import { chooseScenarios } from './choose-scenarios.ts'
import { compareWithBaseline, readBaseline, recordResults, writeBaseline } from './baseline.ts'
import { withCleanup } from './cleanup.ts'
import { installSuite, type Suite } from './install-suite.ts'
import type { Leg } from './legs.ts'
import { parseOptions, usage, type Options } from './options.ts'
import { printTable, printTotal, type Column } from './print-table.ts'
import { runSuite } from './run-suite.ts'
import { startConformanceServer } from './start-conformance-server.ts'
import { startHub } from './start-hub.ts'

/** Runs what the command line asks for, prints the table and returns the exit code. */
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
  const suite = await installSuite()
  const mode = options.direct ? 'direct' : options.behind ? `behind ${options.behind}` : 'same era'
  process.stdout.write(
    `MCP conformance suite ${suite.version}, ${options.direct ? 'our server alone' : 'through Herma'} (${mode})\n`,
  )
  const columns: Column[] = []
  for (const leg of options.legs) columns.push(await runLeg(suite, leg, options))
  const ran = columns.filter(({ results }) => results.length > 0)
  if (ran.length === 0) throw new Error(`No scenario is named ${options.scenarios.join(' or ')} at these revisions.`)

  process.stdout.write(`\n${printTable(ran)}${printMessages(ran)}`)
  const baseline = await readBaseline()
  const recorded = (baseline[mode] ??= {})
  if (options.update) {
    for (const { name, results } of ran) recorded[name] = recordResults(results, recorded[name])
    await writeBaseline(baseline)
    process.stdout.write('\nRecorded in test/conformance/baseline.json.\n')
    return 0
  }
  const problems = ran.flatMap(({ name, results }) =>
    compareWithBaseline(results, recorded[name]).map((problem) => `  ${name}: ${problem}`),
  )
  const verdict =
    problems.length === 0 ? 'As good as the baseline.' : `Worse than the baseline:\n${problems.join('\n')}`
  process.stdout.write(`\n${verdict}\n`)
  return problems.length === 0 ? 0 : 1
}

async function runLeg(suite: Suite, leg: Leg, { direct, source, behind, scenarios }: Options): Promise<Column> {
  const choice = await chooseScenarios(suite, leg, scenarios)
  if (choice.scenarios.length === 0) return { name: leg.name, results: [] }
  return withCleanup(async (defer) => {
    const server = await startConformanceServer(direct ? 'both' : (behind ?? leg.era), defer)
    const url = direct ? server[leg.endpoint] : await startHub(server[leg.endpoint], source, defer)
    const results = await runSuite(suite, leg, { url, choice, defer })
    process.stdout.write(`  ${leg.name}: ${printTotal(results)}\n`)
    return { name: leg.name, results }
  })
}

function printMessages(columns: readonly Column[]): string {
  const blocks = columns.flatMap(({ name, results }) =>
    results.flatMap(({ scenario, messages }) =>
      messages.length === 0 ? [] : [`\n${name} ${scenario}\n${messages.map((message) => `  ${message}\n`).join('')}`],
    ),
  )
  return blocks.join('')
}

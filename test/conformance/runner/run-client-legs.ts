import { bundleClient } from './bundle-client.ts'
import { excusedChecks } from './cannot-cross.ts'
import { chooseScenarios } from './choose-scenarios.ts'
import { withCleanup, type Defer } from './cleanup.ts'
import { inLanes } from './in-lanes.ts'
import type { Suite } from './install-suite.ts'
import { judgeChecks, type Result } from './judge-checks.ts'
import { judgeClient } from './judge-client.ts'
import type { ClientLeg } from './legs.ts'
import type { Options } from './options.ts'
import type { Column } from './print-table.ts'
import { startHub, type TestedHub } from './start-hub.ts'
import { openSuite, type SuiteProcess } from './suite-process.ts'

const laneCount = 2

/**
 * Runs the suite as the server behind a hub. A scenario has a hub for itself while it runs, because the hub asks all of
 * its downstreams for what it does not know; afterwards the hub is free for the next one.
 */
export async function runClientLegs(suite: Suite, legs: readonly ClientLeg[], options: Options): Promise<Column[]> {
  const choices = await inLanes(legs, laneCount, (leg) => chooseScenarios(suite, leg, options.scenarios))
  const runs = legs.flatMap((leg, column) => choices[column]!.scenarios.map((scenario) => ({ leg, column, scenario })))
  const results = await withCleanup(async (defer) => {
    if (runs.length === 0) return []
    const script = await bundleClient(defer)
    const hubs = options.direct ? [] : await startHubs(options.source, defer)
    // Each leg has results of its own, because a scenario may be on several.
    const processes = await Promise.all(legs.map(() => openSuite(suite, defer)))
    return inLanes(runs, laneCount, ({ leg, column, scenario }, lane) =>
      runScenario(processes[column]!, { leg, scenario, script, hub: hubs[lane] }),
    )
  })
  return legs.map(({ name }, column) => ({
    name,
    results: results.filter((_, position) => runs[position]!.column === column),
    notYet: choices[column]!.notYet,
  }))
}

function startHubs(isSource: boolean, defer: Defer): Promise<TestedHub[]> {
  return Promise.all(Array.from({ length: laneCount }, () => startHub(isSource, defer)))
}

type Run = { leg: ClientLeg; scenario: string; script: string; hub: TestedHub | undefined }

async function runScenario(suiteProcess: SuiteProcess, { leg, scenario, script, hub }: Run): Promise<Result> {
  // The suite cuts the command at its spaces and gives the pieces to a shell, which minds the quotes.
  const command = `"${process.execPath}" "${script}" ${leg.front}`
  const { isGood, lastLines } = await suiteProcess.run(
    ['client', '--command', command, '--scenario', scenario, '--spec-version', leg.revision, '--force'],
    { env: { ...process.env, HERMA_CONFORMANCE_HUB: hub && JSON.stringify(hub) } },
  )
  const results = await suiteProcess.readResults(scenario)
  const excused = excusedChecks(leg.name, scenario)
  const result = judgeChecks(scenario, results?.checks, { lastLines, excused })
  return judgeClient(result, isGood, results?.clientErrors ?? '')
}

import { addConnector } from '../client/add-connector.ts'
import { excusedChecks } from './cannot-cross.ts'
import { chooseScenarios, type Choice } from './choose-scenarios.ts'
import { withCleanup, type Defer } from './cleanup.ts'
import { inLanes } from './in-lanes.ts'
import type { Suite } from './install-suite.ts'
import { judgeChecks, type Result } from './judge-checks.ts'
import type { ServerLeg } from './legs.ts'
import type { Options } from './options.ts'
import type { Column } from './print-table.ts'
import { startConformanceServer } from './start-conformance-server.ts'
import { startHub } from './start-hub.ts'
import { openSuite } from './suite-process.ts'

const laneCount = 3

/** Runs the suite as the client of a hub, with our conformance server behind it. */
export async function runServerLeg(suite: Suite, leg: ServerLeg, options: Options): Promise<Column> {
  const choice = await chooseScenarios(suite, leg, options.scenarios)
  const { name } = leg
  if (choice.scenarios.length === 0) return { name, results: [], notYet: choice.notYet }
  return withCleanup(async (defer) => {
    const server = await startConformanceServer(options.direct ? 'both' : leg.behind, {
      kind: options.framework ? 'framework' : (leg.sdk ?? 'typescript'),
      defer,
    })
    const serverUrl = server[leg.endpoint]
    const url = options.direct ? serverUrl : await serveThroughHub(serverUrl, options.source, defer)
    return { name, results: await runScenarios(suite, leg, { url, choice, defer }), notYet: choice.notYet }
  })
}

async function serveThroughHub(serverUrl: string, isSource: boolean, defer: Defer): Promise<string> {
  const { url } = await addConnector(await startHub(isSource, defer), serverUrl)
  return url
}

type Tested = { url: string; choice: Choice; defer: Defer }

async function runScenarios(suite: Suite, leg: ServerLeg, { url, choice, defer }: Tested): Promise<Result[]> {
  const suiteProcess = await openSuite(suite, defer)
  const common = ['server', '--url', url, '--spec-version', leg.revision]
  // All in one process is fast. What it left without a result, because it hung or crashed, gets a process of its own.
  if (choice.isSuite) await suiteProcess.run([...common, '--suite', 'all'])
  return inLanes(choice.scenarios, laneCount, async (scenario) => {
    const excused = excusedChecks(leg.name, scenario)
    const folder = `server-${scenario}`
    const results = await suiteProcess.readResults(folder)
    if (results) return judgeChecks(scenario, results.checks, { excused })
    const { lastLines } = await suiteProcess.run([...common, '--force', '--scenario', scenario])
    return judgeChecks(scenario, (await suiteProcess.readResults(folder))?.checks, { excused, lastLines })
  })
}

// The command that the suite starts for a client scenario, with the era of the client in front and the suite's URL.
// The suite names the scenario in the environment. With HERMA_CONFORMANCE_HUB, a running hub as JSON, the suite's
// server becomes a downstream of that hub and the SDK's client, of the given era, stands in front; without it the SDK's
// client talks to the suite's server by itself.
import { driveScenario } from './client/drive-scenario.ts'
import type { TestedHub } from './runner/start-hub.ts'

const [era, url] = process.argv.slice(2)
const {
  MCP_CONFORMANCE_SCENARIO: scenario,
  MCP_CONFORMANCE_CONTEXT: context,
  HERMA_CONFORMANCE_HUB: runningHub,
} = process.env
if ((era !== 'legacy' && era !== 'modern') || !url || !scenario) {
  process.stderr.write('Only the conformance suite starts this. Run: npm run conformance -- --help\n')
  process.exit(2)
}
try {
  const hub = runningHub === undefined ? undefined : (JSON.parse(runningHub) as TestedHub)
  await driveScenario(scenario, { url, era, context: JSON.parse(context ?? '{}') as Record<string, unknown>, hub })
} catch (error) {
  // The runner shows these lines in its report.
  for (let cause = error; cause instanceof Error; cause = cause.cause) process.stderr.write(`${cause.message}\n`)
  process.exitCode = 1
}

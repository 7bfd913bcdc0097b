// Runs the official conformance suite through Herma; see runner/options.ts for what it takes.
import { register } from 'tsx/esm/api'

register()
const { run } = await import('./runner/run.ts')
process.exitCode = await run(process.argv.slice(2))

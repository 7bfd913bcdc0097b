// Connects MCP clients of other people to a Herma hub; see runner/options.ts for what it takes.
import { register } from 'tsx/esm/api'

register()
const { run } = await import('./runner/run.ts')
process.exitCode = await run(process.argv.slice(2))

// The compatibility matrix: npm run matrix -- --help
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2))

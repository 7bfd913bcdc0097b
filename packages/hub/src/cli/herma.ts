import { runCli } from './run-cli.ts'
import { Terminal } from './terminal/terminal.ts'

// A reader that has seen enough (`herma logs x | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

process.exitCode = await runCli(process.argv.slice(2), new Terminal(process))

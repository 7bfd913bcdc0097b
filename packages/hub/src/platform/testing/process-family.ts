// A family of processes that are hard to end: a parent that ignores SIGTERM and the end of its input, a child of the
// same kind, and a grandchild in a session of its own. Prints the ids of all three, then waits.
import { spawn } from 'node:child_process'

const [generation = '0'] = process.argv.slice(2)
process.on('SIGTERM', () => undefined)
process.stdin.on('error', () => undefined).resume()
process.stdout.on('error', () => undefined)
process.stdout.write(`member ${process.pid}\n`)
if (generation !== '2') {
  spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', String(Number(generation) + 1)], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: generation === '1',
  })
}
setInterval(() => undefined, 60_000)

// A hub that starts two process families under a watchdog, releases the second, and waits to be killed. Its argument
// is the program of a family.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { startProcessWatchdog } from '../process/process-watchdog.ts'

const [family = ''] = process.argv.slice(2)
const watchdog = startProcessWatchdog()
process.stdout.write(`watchdog ${watchdog.pid}\n`)

const watched = spawn(process.execPath, [...process.execArgv, family], {
  stdio: ['pipe', 'pipe', 'inherit'],
  detached: true,
})
watchdog.watch(watched.pid ?? 0)
createInterface({ input: watched.stdout }).on('line', (line) => process.stdout.write(`${line}\n`))

const released = spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
watchdog.watch(released.pid ?? 0)
watchdog.release(released.pid ?? 0)
process.stdout.write(`released ${released.pid}\n`)

let seen = watchdog.pid
setInterval(() => {
  if (watchdog.pid === undefined || watchdog.pid === seen) return
  seen = watchdog.pid
  process.stdout.write(`successor ${seen}\n`)
}, 20)

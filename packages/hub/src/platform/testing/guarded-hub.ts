// A hub that starts two process families under a guardian, releases the second, and waits to be killed. Its argument
// is the program of a family.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { startGuardian } from '../guardian.ts'

const [family = ''] = process.argv.slice(2)
const guardian = startGuardian()
process.stdout.write(`guardian ${guardian.pid}\n`)

const watched = spawn(process.execPath, [...process.execArgv, family], {
  stdio: ['pipe', 'pipe', 'inherit'],
  detached: true,
})
guardian.watch(watched.pid ?? 0)
createInterface({ input: watched.stdout }).on('line', (line) => process.stdout.write(`${line}\n`))

const released = spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
guardian.watch(released.pid ?? 0)
guardian.release(released.pid ?? 0)
process.stdout.write(`released ${released.pid}\n`)

let seen = guardian.pid
setInterval(() => {
  if (guardian.pid === undefined || guardian.pid === seen) return
  seen = guardian.pid
  process.stdout.write(`successor ${seen}\n`)
}, 20)

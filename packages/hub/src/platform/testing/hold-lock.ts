// Takes the lock of a state home, says so, and keeps it until it is killed.
import { acquireStateLock } from '../file/state-lock.ts'

const [stateHome = ''] = process.argv.slice(2)
try {
  await acquireStateLock(stateHome)
  process.stdout.write('held\n')
  setInterval(() => undefined, 60_000)
} catch (error) {
  process.stdout.write(`refused ${(error as Error).message}\n`)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { isPostmasterOf } from './postmaster-file.ts'

// https://www.postgresql.org/docs/18/server-shutdown.html
const steps = [
  { signal: 'SIGINT', limitMs: 15_000 },
  // Without a last checkpoint; the next start recovers from the write-ahead log.
  { signal: 'SIGQUIT', limitMs: 6000 },
] as const

/** Stops a server and waits for its end. Connections are cut, what was committed stays. */
export async function shutDown({ dataDirectory }: { dataDirectory: string }, pid: number, log: Log): Promise<void> {
  for (const { signal, limitMs } of steps) {
    const deadline = Date.now() + limitMs
    if (!isPostmasterOf(pid, dataDirectory)) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      // It ended by itself meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    for (let waitMs = 5; Date.now() < deadline; waitMs = Math.min(waitMs * 2, 100)) {
      if (!isPostmasterOf(pid, dataDirectory)) return
      await sleep(waitMs)
    }
  }
  log.error('the embedded store does not stop', { processId: pid })
}

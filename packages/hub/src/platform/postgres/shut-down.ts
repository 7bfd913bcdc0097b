import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { findProcess } from '../process/process-table.ts'
import { isPostmasterOf } from './postmaster-file.ts'

// https://www.postgresql.org/docs/18/server-shutdown.html
const steps = [
  { signal: 'SIGINT', limitMs: 15_000 },
  // Without a last checkpoint; the next start recovers from the write-ahead log.
  { signal: 'SIGQUIT', limitMs: 6000 },
] as const

/** Stops a server and waits for its end. Connections are cut, what was committed stays. */
export async function shutDown({ dataDirectory }: { dataDirectory: string }, pid: number, log: Log): Promise<void> {
  if (!isPostmasterOf(pid, dataDirectory)) return
  // A process on its way out has lost its command line already; only when it is gone is its memory free and its end sure.
  const startedAt = findProcess(pid)?.startedAt
  const isThere = () => startedAt !== undefined && findProcess(pid)?.startedAt === startedAt
  for (const { signal, limitMs } of steps) {
    const deadline = Date.now() + limitMs
    if (!isThere()) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      // It ended by itself meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    for (let waitMs = 5; Date.now() < deadline; waitMs = Math.min(waitMs * 2, 100)) {
      if (!isThere()) return
      await sleep(waitMs)
    }
  }
  log.error('the embedded store does not stop', { processId: pid })
}

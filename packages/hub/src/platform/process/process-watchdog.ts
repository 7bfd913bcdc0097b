import { guardianScript } from './process-watchdog-script.ts'
import { startPipedShell } from './piped-shell.ts'

/** Watches over process groups that must not outlive this process, even when it is killed with SIGKILL. */
export interface ProcessWatchdog {
  /** Registers the group that a detached child leads. */
  watch(groupId: number): void
  /** Forgets a group that is gone. */
  release(groupId: number): void
  /** Ends the watchdog. Groups that are still registered are ended like after a crash. */
  stop(): void
  /** The watchdog's process, or undefined between two of them. */
  readonly pid: number | undefined
}

/**
 * Starts one small shell that holds a pipe from this process; the kernel closes it however this process ends.
 * A watchdog that dies is replaced, and the new one gets the same groups.
 */
export function startProcessWatchdog(): ProcessWatchdog {
  const groups = new Set<number>()
  const shell = startPipedShell({
    name: 'herma-guardian',
    program: guardianScript,
    greeting: () => [...groups].map((groupId) => `+${groupId}`),
  })
  return {
    watch(groupId) {
      if (!Number.isInteger(groupId) || groupId <= 1) throw new RangeError(`Not a process group: ${groupId}`)
      groups.add(groupId)
      shell.send(`+${groupId}`)
    },
    release(groupId) {
      if (groups.delete(groupId)) shell.send(`-${groupId}`)
    },
    stop: () => shell.stop(),
    get pid() {
      return shell.pid
    },
  }
}

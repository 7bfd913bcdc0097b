import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** A command as it is started. */
export interface Started {
  command: string
  args: string[]
}

let isPinned = false

/** From now on targets run on the last core and everything else on the others. Returns why not, or null. */
export function pinProcesses(): string | null {
  if (availableParallelism() < 2) return 'this machine has one core'
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
  } catch {
    return 'there is no taskset'
  }
  isPinned = true
  return null
}

/** For a target, with all that it starts. */
export function onTargetCore(started: Started): Started {
  return onCores(String(availableParallelism() - 1), started)
}

/** For the load client and the test servers. */
export function onOtherCores(started: Started): Started {
  return onCores(`0-${Math.max(0, availableParallelism() - 2)}`, started)
}

function onCores(cores: string, { command, args }: Started): Started {
  return isPinned ? { command: 'taskset', args: ['-c', cores, command, ...args] } : { command, args }
}

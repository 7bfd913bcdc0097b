import { type ChildProcess, spawn } from 'node:child_process'
import { guardianScript } from './guardian-script.ts'

/** Watches over process groups that must not outlive this process, even when it is killed with SIGKILL. */
export interface Guardian {
  /** Registers the group that a detached child leads. */
  watch(groupId: number): void
  /** Forgets a group that is gone. */
  release(groupId: number): void
  /** Ends the guardian. Groups that are still registered are ended like after a crash. */
  stop(): void
  /** The guardian's process, or undefined between two of them. */
  readonly pid: number | undefined
}

const firstRestartMs = 100
const lastRestartMs = 10_000

/**
 * Starts one small shell that holds a pipe from this process; the kernel closes it however this process ends.
 * A guardian that dies is replaced, and the new one gets the same groups.
 */
export function startGuardian(): Guardian {
  const groups = new Set<number>()
  let shell: ChildProcess | undefined
  let isStopped = false
  let restartMs = firstRestartMs

  const send = (line: string) => {
    // A write that fails means that the guardian died; its successor gets all groups anyway.
    if (shell?.stdin?.writable) shell.stdin.write(`${line}\n`)
  }

  const start = () => {
    if (isStopped) return
    const started = spawnShell()
    const startedAt = Date.now()
    shell = started
    const replace = () => {
      if (shell !== started) return
      shell = undefined
      if (Date.now() - startedAt > lastRestartMs) restartMs = firstRestartMs
      setTimeout(start, restartMs).unref()
      restartMs = Math.min(restartMs * 2, lastRestartMs)
    }
    started.once('error', replace)
    started.once('exit', replace)
    for (const groupId of groups) send(`+${groupId}`)
  }

  start()
  return {
    watch(groupId) {
      if (!Number.isInteger(groupId) || groupId <= 1) throw new RangeError(`Not a process group: ${groupId}`)
      groups.add(groupId)
      send(`+${groupId}`)
    },
    release(groupId) {
      if (groups.delete(groupId)) send(`-${groupId}`)
    },
    stop() {
      isStopped = true
      const last = shell
      shell = undefined
      last?.stdin?.end()
    },
    get pid() {
      return shell?.pid
    },
  }
}

function spawnShell(): ChildProcess {
  // Through a variable, so that the list of processes shows a name and not a program.
  const shell = spawn('/bin/sh', ['-c', 'eval "$HERMA_GUARDIAN"', 'herma-guardian'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HERMA_GUARDIAN: guardianScript },
    // A session of its own keeps the terminal's signals away.
    detached: true,
  })
  // The write side reports a dead guardian too; its exit is what counts.
  shell.stdin.on('error', () => undefined)
  // Neither the guardian nor the pipe keeps this process alive.
  shell.unref()
  ;(shell.stdin as typeof shell.stdin & { unref(): void }).unref()
  return shell
}

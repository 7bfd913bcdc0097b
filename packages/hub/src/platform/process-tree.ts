import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import { findProcess, listProcesses, type ProcessEntry } from './process-table.ts'

export interface KillTreeOptions {
  /** How long a process may take to leave by itself after SIGTERM. */
  readonly graceMs: number
  readonly log: Log
}

// A process that survives SIGKILL sits in the kernel; waiting longer does not free it.
const killWaitMs = 5000

/**
 * Ends a process, its group and all of its descendants, those in other groups too, and resolves when they are gone.
 * A descendant that left the group, the session and its parent before the call cannot be found.
 */
export async function killTree(pid: number, { graceMs, log }: KillTreeOptions): Promise<void> {
  const tree = new ProcessTree(pid)
  if (await signalUntilGone(tree, 'SIGTERM', graceMs)) return
  if (await signalUntilGone(tree, 'SIGKILL', killWaitMs)) return
  log.error('processes survived SIGKILL', { processes: tree.alive().map((entry) => entry.pid) })
}

/** True while the process runs; false for a zombie, which has ended and only waits for its parent. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs under another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return findProcess(pid) !== undefined
}

// Descendants are remembered, because one whose parent has ended is no longer below the root.
class ProcessTree {
  readonly #root: number
  readonly #known = new Map<number, string>()

  constructor(root: number) {
    this.#root = root
  }

  alive(): ProcessEntry[] {
    const entries = listProcesses().filter((entry) => entry.pid !== process.pid)
    const members = new Map<number, ProcessEntry>()
    const children = new Map<number, ProcessEntry[]>()
    for (const entry of entries) {
      if (this.#isRoot(entry)) members.set(entry.pid, entry)
      const siblings = children.get(entry.parent)
      if (siblings) siblings.push(entry)
      else children.set(entry.parent, [entry])
    }
    // A Map may grow while it is walked, so this also visits the members added on the way.
    for (const pid of members.keys()) {
      for (const child of children.get(pid) ?? []) members.set(child.pid, child)
    }
    this.#known.clear()
    for (const entry of members.values()) this.#known.set(entry.pid, entry.startedAt)
    return [...members.values()]
  }

  #isRoot(entry: ProcessEntry): boolean {
    if (entry.pid === this.#root || entry.group === this.#root || entry.session === this.#root) return true
    return this.#known.get(entry.pid) === entry.startedAt
  }
}

async function signalUntilGone(tree: ProcessTree, signal: NodeJS.Signals, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs
  const signalled = new Set<string>()
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 100)) {
    const alive = tree.alive()
    if (alive.length === 0) return true
    for (const { pid, startedAt } of alive) {
      // Each gets the signal once; those forked meanwhile get it on a later round.
      if (signalled.has(`${pid} ${startedAt}`)) continue
      signalled.add(`${pid} ${startedAt}`)
      sendSignal(pid, signal)
    }
    if (Date.now() >= deadline) return false
    await sleep(Math.min(waitMs, Math.max(deadline - Date.now(), 1)))
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself meanwhile, or runs under another user; the deadline reports the second.
  }
}

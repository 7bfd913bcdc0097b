import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { findProcess, hasInEnvironment, listProcesses, type ProcessEntry } from './process-table.ts'

export interface KillTreeOptions {
  /** How long a process may take to leave by itself after SIGTERM. */
  readonly graceMs: number
  /** A gentler way, tried first. Descendants are noted before it, since a parent that leaves makes them hard to find. */
  readonly leave?: () => Promise<void>
  /** A text that only the environment of these processes holds, by which those are found that left the tree. */
  readonly mark?: string | undefined
  readonly log: Log
}

// A process that survives SIGKILL sits in the kernel; waiting longer does not free it.
const killWaitMs = 5000

/**
 * Ends a process, its group and all of its descendants, those in other groups too, and resolves when they are gone.
 * A descendant that left the group, the session and its parent before the call is found by its mark, on Linux, unless
 * it gave itself another environment.
 */
export async function killTree(pid: number, { graceMs, leave, mark, log }: KillTreeOptions): Promise<void> {
  if (!Number.isInteger(pid) || pid <= 1) throw new RangeError(`Not a process that may be killed: ${pid}`)
  const tree = new ProcessTree(pid, mark)
  if (leave !== undefined) {
    tree.findAll()
    await leave()
  }
  if (await signalUntilGone(tree, 'SIGTERM', graceMs)) return
  if (await signalUntilGone(tree, 'SIGKILL', killWaitMs)) return
  log.error('processes survived SIGKILL', { processes: tree.findAll().map((entry) => entry.pid) })
}

/** True while the process runs; false for a zombie, which has ended and only waits for its parent. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs under another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  // Zombies stay where process 1 of a container does not care for them; elsewhere asking would cost a process each time.
  return process.platform !== 'linux' || findProcess(pid) !== undefined
}

// Looking at every process of the machine is dear; in between, those already found are enough.
const rescanMs = 500

// Descendants are remembered, because one whose parent has ended is no longer below the root.
class ProcessTree {
  readonly #root: number
  readonly #mark: string | undefined
  readonly #known = new Map<number, string>()
  #scannedAt = 0

  constructor(root: number, mark: string | undefined) {
    this.#root = root
    this.#mark = mark
  }

  /** Those that still run; who joined since the last look at all processes may be missing, unless nobody is left. */
  findSome(): ProcessEntry[] {
    if (process.platform !== 'linux' || Date.now() - this.#scannedAt > rescanMs) return this.findAll()
    const known = [...this.#known].flatMap(([pid, startedAt]) => {
      const entry = findProcess(pid)
      return entry?.startedAt === startedAt ? [entry] : []
    })
    return known.length > 0 ? known : this.findAll()
  }

  findAll(): ProcessEntry[] {
    this.#scannedAt = Date.now()
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
    if (this.#known.get(entry.pid) === entry.startedAt) return true
    return this.#mark !== undefined && hasInEnvironment(entry.pid, this.#mark)
  }
}

async function signalUntilGone(tree: ProcessTree, signal: NodeJS.Signals, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs
  const signalled = new Set<string>()
  for (let alive = tree.findAll(), waitMs = 5; ; alive = tree.findSome(), waitMs = Math.min(waitMs * 2, 100)) {
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

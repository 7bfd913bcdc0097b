import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import type { HiddenState } from '../../platform/hidden-state/hidden-state.ts'
import type { ProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import type { Log } from '../../platform/log.ts'
import { killTree } from '../../platform/process/process-tree.ts'
import { LineSplitter } from '../../platform/text/line-splitter.ts'
import { plainLine } from './plain-line.ts'

export interface ProcessOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What only the environment of this run holds. */
  readonly mark: string
  /** What it sees although it lies in the state of the hub. */
  readonly shown: readonly string[]
  readonly hiddenState?: HiddenState | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly watchdog: ProcessWatchdog
  readonly log: Log
  onLine(line: string, stream: 'stdout' | 'stderr'): void
}

export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stoppedBy: 'timeout' | 'cancel' | null
}

const maxLineLength = 1024 * 1024
const graceMs = 2000
/** How long to wait for the end of the output of those that are gone: who fled from the tree may hold the pipe. */
const drainMs = 1000

/**
 * Runs a program without input in a process group of its own, and resolves when nothing of it is left. It rejects with
 * the system's error when it does not start. Time and output are bounded; memory is not, since Node has no way to limit
 * a child's, but it is the first to be ended when the machine has none left.
 */
export async function runTestProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const { file, args, cwd, env, shown, mark, watchdog, log } = options
  const plain = { command: file, args, env: { ...env }, cwd }
  const refuse = (problem: string) => new Error(`it ${problem}`)
  const launch = (await options.hiddenState?.launch({ ...plain, workingDir: cwd, shown, refuse })) ?? plain
  const child = spawn(launch.command, [...launch.args], {
    cwd: launch.cwd,
    env: launch.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  const pid = child.pid!
  watchdog.watch(pid)
  stepBack(pid)
  const closed = new Promise((resolve) => child.once('close', resolve))
  const splitters = (['stdout', 'stderr'] as const).map((stream) => {
    const splitter = new LineSplitter({
      maxLength: maxLineLength,
      onLine: (line) => options.onLine(plainLine(line), stream),
    })
    child[stream].on('data', (chunk: Buffer) => splitter.push(chunk))
    return splitter
  })
  const end = await waitForEnd(child, options)
  await killTree(pid, { graceMs, mark, log })
  watchdog.release(pid)
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, drainMs).unref())])
  for (const stream of [child.stdout, child.stderr]) stream.destroy()
  for (const splitter of splitters) splitter.end()
  return end
}

async function waitForEnd(child: ChildProcess, { timeoutMs, signal }: ProcessOptions): Promise<ProcessEnd> {
  let timer: NodeJS.Timeout | undefined
  let cancel: () => void = () => undefined
  const end = await new Promise<ProcessEnd>((resolve) => {
    const stop = (stoppedBy: 'timeout' | 'cancel') => resolve({ exitCode: null, signal: null, stoppedBy })
    child.once('exit', (exitCode, by) => resolve({ exitCode, signal: by, stoppedBy: null }))
    timer = setTimeout(() => stop('timeout'), timeoutMs)
    cancel = () => stop('cancel')
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
  })
  clearTimeout(timer)
  signal.removeEventListener('abort', cancel)
  return end
}

// Tests may take all that is free, but the hub goes first. What the system does not allow is no reason not to test.
function stepBack(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // It ended already.
  }
  if (process.platform === 'linux') writeFile(`/proc/${pid}/oom_score_adj`, '800').catch(() => undefined)
}

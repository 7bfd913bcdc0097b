import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { onOtherCores, onTargetCore } from './cores.ts'
import { listTree } from './process-tree.ts'

export interface ProcessOptions {
  /** What it is, for error messages. */
  name: string
  command: string
  args: string[]
  env?: Record<string, string>
  cwd?: string
  /** Whether it has a core of its own where processes are pinned; the others share the rest. */
  isPinned?: boolean
}

export interface StartedProcess {
  processId: number
  /** Resolves with the first line of standard output. */
  firstLine: Promise<string>
  /** Rejects when the process ends before it is stopped. */
  failed: Promise<never>
  /** The end of what it printed, for error messages. */
  output(): string
  stop(): Promise<void>
}

const OUTPUT_LIMIT = 4000
const STOP_TIMEOUT_MS = 10_000

const running = new Set<StartedProcess>()

/** Starts a process that ends with the bench, whatever happens. */
export function startProcess({ name, command, args, env = {}, cwd, isPinned }: ProcessOptions): StartedProcess {
  const how = isPinned === true ? onTargetCore({ command, args }) : onOtherCores({ command, args })
  const child = spawn(how.command, how.args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let isStopping = false
  const firstLine = readFirstLine(child.stdout)
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}`))
  })
  const failed = exited.then((ending) => {
    running.delete(started)
    if (isStopping) return new Promise<never>(() => {})
    throw new Error(`${name} ${ending}. Its last output:\n${output}`)
  })
  // Whoever waits for readiness races against it; nobody may be waiting when it happens.
  failed.catch(() => {})
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_LIMIT)
    })
  }
  const started: StartedProcess = {
    processId: child.pid ?? -1,
    firstLine,
    failed,
    output: () => output,
    async stop() {
      isStopping = true
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
      const tree = listTree(child.pid)
      child.kill('SIGTERM')
      const timer = setTimeout(() => killAll(tree), STOP_TIMEOUT_MS)
      await exited
      clearTimeout(timer)
    },
  }
  running.add(started)
  return started
}

/** Stops everything that still runs. */
export async function stopAllProcesses(): Promise<void> {
  await Promise.allSettled([...running].map((started) => started.stop()))
}

process.on('exit', () => {
  for (const started of running) killAll(listTree(started.processId))
})

function readFirstLine(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const read = (more: string) => {
      text = (text + more).slice(0, OUTPUT_LIMIT)
      if (!text.includes('\n') && text.length < OUTPUT_LIMIT) return
      stream.off('data', read)
      resolve(text.slice(0, text.indexOf('\n')))
    }
    stream.on('data', read)
  })
}

function killAll(processIds: number[]): void {
  for (const id of processIds) {
    try {
      if (id > 1) process.kill(id, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}

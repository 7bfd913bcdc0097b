import { spawn, type ChildProcess } from 'node:child_process'
import type { ProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import type { Log } from '../../platform/log.ts'
import { killTree } from '../../platform/process/process-tree.ts'
import { maxSecretLength, OutputHead, OutputTail } from './captured-output.ts'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** For standard input; null = nothing to read there. */
  readonly input: string | null
  readonly timeoutMs: number
  readonly maxOutputBytes: number
}

export type CommandEnd =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'killed'; readonly signal: NodeJS.Signals }
  | { readonly how: 'timed-out' | 'cancelled' | 'flooded' }
  | { readonly how: 'not-started'; readonly error: NodeJS.ErrnoException }

export interface CommandOutcome {
  readonly end: CommandEnd
  readonly stdout: Buffer
  readonly stderr: OutputTail
}

export interface CommandEnvironment {
  readonly watchdog: ProcessWatchdog
  readonly log: Log
  readonly signal: AbortSignal
}

/** What is kept of standard error; the beginning of a longer one is lost. */
const maxStderrBytes = 16 * 1024
/** How long a command has to leave after SIGTERM. */
const graceMs = 2000
/** How long to wait for the end of the output of a command that is gone: who fled from the tree may hold the pipe. */
const drainMs = 1000

/**
 * Runs a command in a process group of its own and resolves when nothing of it is left: what it started ends with it.
 * It gets no descriptor that the hub has opened: Node marks them to be closed.
 */
export async function runCommand(
  command: Command,
  { watchdog, log, signal }: CommandEnvironment,
): Promise<CommandOutcome> {
  const stdout = new OutputHead(command.maxOutputBytes)
  const stderr = new OutputTail(maxStderrBytes + maxSecretLength)
  const toOutcome = (end: CommandEnd) => ({ end, stdout: stdout.toBuffer(), stderr })
  if (signal.aborted) return toOutcome({ how: 'cancelled' })
  let child: ChildProcess
  try {
    child = start(command)
  } catch (error) {
    return toOutcome({ how: 'not-started', error: error as NodeJS.ErrnoException })
  }
  const closed = new Promise((resolve) => child.once('close', resolve))
  const ended = waitForEnd(child, { stdout, signal, timeoutMs: command.timeoutMs })
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk))
  if (child.pid === undefined) return toOutcome(await ended)
  watchdog.watch(child.pid)
  // A command need not read what it is given; how it ends says more than the broken pipe.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(command.input)
  const end = await ended
  // Unread, a flood stands still until its end.
  if (end.how === 'flooded') child.stdout?.pause()
  await killTree(child.pid, { graceMs, log })
  child.stdout?.resume()
  watchdog.release(child.pid)
  await Promise.race([closed, delay(drainMs)])
  child.stdout?.destroy()
  child.stderr?.destroy()
  return toOutcome(end.how === 'exited' && stdout.isOver ? { how: 'flooded' } : end)
}

function start({ file, args, cwd, env, input }: Command): ChildProcess {
  return spawn(file, [...args], {
    cwd,
    env: { ...env },
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
}

interface EndOptions {
  readonly stdout: OutputHead
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** The first of all that can end a command. */
async function waitForEnd(child: ChildProcess, { stdout, signal, timeoutMs }: EndOptions): Promise<CommandEnd> {
  let timer: NodeJS.Timeout | undefined
  let cancel: () => void = () => undefined
  const end = await new Promise<CommandEnd>((resolve) => {
    child.once('error', (error) => resolve({ how: 'not-started', error }))
    child.once('exit', (code, by) =>
      resolve(by === null ? { how: 'exited', code: code ?? 0 } : { how: 'killed', signal: by }),
    )
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout.add(chunk)
      if (stdout.isOver) resolve({ how: 'flooded' })
    })
    timer = setTimeout(() => resolve({ how: 'timed-out' }), timeoutMs)
    cancel = () => resolve({ how: 'cancelled' })
    signal.addEventListener('abort', cancel, { once: true })
  })
  clearTimeout(timer)
  signal.removeEventListener('abort', cancel)
  return end
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

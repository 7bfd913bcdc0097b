import { randomUUID } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import type { HiddenLaunch, HiddenState } from '../../../platform/hidden-state/hidden-state.ts'
import type { ProcessWatchdog } from '../../../platform/process/process-watchdog.ts'
import type { Log } from '../../../platform/log.ts'
import { killTree } from '../../../platform/process/process-tree.ts'

export interface AgentProcess {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string | null
  readonly signal: AbortSignal
  /** A piece of standard output. Must not throw. */
  onOutput(chunk: Buffer): void
}

export interface AgentEnvironment {
  readonly watchdog: ProcessWatchdog
  readonly log: Log
  /** Absent where nothing is hidden, as in tests. */
  readonly hiddenState?: HiddenState | undefined
}

export type AgentEnd =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'killed'; readonly signal: NodeJS.Signals }
  | { readonly how: 'stopped' }
  | { readonly how: 'not-started'; readonly error: NodeJS.ErrnoException }

export interface AgentOutcome {
  readonly end: AgentEnd
  /** The last of standard error. */
  readonly stderr: string
}

/** An agent may have files to put in order when it is asked to leave. */
const graceMs = 3000
/** Who fled from the tree may hold the pipe. */
const drainMs = 1000
const maxStderrLength = 8192

/** Runs an agent in a process group of its own, and resolves when nothing of it is left: what it started ends with it. */
export async function runAgentProcess(
  agent: AgentProcess,
  { watchdog, log, hiddenState }: AgentEnvironment,
): Promise<AgentOutcome> {
  let stderr = ''
  if (agent.signal.aborted) return { end: { how: 'stopped' }, stderr }
  const mark = `HERMA_RUN=${randomUUID()}`
  let child: ChildProcess
  try {
    child = start(agent, await toLaunch(agent, mark, hiddenState))
  } catch (error) {
    // Arguments that are too large, and the like, are told at once; a missing program a moment later.
    return { end: { how: 'not-started', error: error as NodeJS.ErrnoException }, stderr }
  }
  const closed = new Promise((resolve) => child.once('close', resolve))
  const ended = waitForEnd(child, agent.signal)
  child.stdout?.on('data', (chunk: Buffer) => agent.onOutput(chunk))
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-maxStderrLength)
  })
  if (child.pid === undefined) return { end: await ended, stderr }
  watchdog.watch(child.pid)
  // An agent need not read what it is given; how it ends says more than the broken pipe.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(agent.input)
  const end = await ended
  await killTree(child.pid, { graceMs, mark, log })
  watchdog.release(child.pid)
  await Promise.race([closed, delay(drainMs)])
  child.stdout?.destroy()
  child.stderr?.destroy()
  return { end, stderr }
}

/** An agent keeps its home, where it is signed in, but does not see the state of the hub. */
async function toLaunch(
  { file, args, cwd, env }: AgentProcess,
  mark: string,
  hiddenState: HiddenState | undefined,
): Promise<HiddenLaunch> {
  const [name, value] = mark.split('=') as [string, string]
  const plain = { command: file, args, env: { ...env, [name]: value }, cwd }
  const refuse = (problem: string) => new Error(`it ${problem}. Choose another place.`)
  // It works in a copy, which lies in the state home.
  return (await hiddenState?.launch({ ...plain, workingDir: cwd, shown: [cwd], refuse })) ?? plain
}

function start({ input }: AgentProcess, { command, args, cwd, env }: HiddenLaunch): ChildProcess {
  return spawn(command, [...args], {
    cwd,
    env,
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
}

async function waitForEnd(child: ChildProcess, signal: AbortSignal): Promise<AgentEnd> {
  let stop: () => void = () => undefined
  const end = await new Promise<AgentEnd>((resolve) => {
    child.once('error', (error) => resolve({ how: 'not-started', error }))
    child.once('exit', (code, by) =>
      resolve(by === null ? { how: 'exited', code: code ?? 0 } : { how: 'killed', signal: by }),
    )
    stop = () => resolve({ how: 'stopped' })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  signal.removeEventListener('abort', stop)
  return end
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

const inheritedNames = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM']

/** What an agent finds in its environment: the usual, and what the session says. Nothing else of the hub's. */
export function agentEnvironment(own: Readonly<Record<string, string>>): Record<string, string> {
  const usual = inheritedNames.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(usual), ...own }
}

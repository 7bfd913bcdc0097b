import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const maxKeptLines = 40

type ChildOptions = { env?: NodeJS.ProcessEnv; stopTimeoutMs?: number }
export type Child = ReturnType<typeof startChild>

/**
 * Starts a process with a group of its own, so that Ctrl-C reaches it only through `stop`. Its output is kept as the
 * last lines, for error messages.
 */
export function startChild(
  command: string,
  args: string[],
  { env = process.env, stopTimeoutMs = 15_000 }: ChildOptions = {},
) {
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = waitFor(child, 'exit')
  const ended = waitFor(child, 'close')
  const kept: string[] = []
  const keep = (line: string) => {
    kept.push(line)
    if (kept.length > maxKeptLines) kept.shift()
  }
  const stdout = createInterface({ input: child.stdout })
  stdout.on('line', keep)
  createInterface({ input: child.stderr }).on('line', keep)

  return {
    /** Resolves with the exit code, or the signal that ended it, when all of its output is read. */
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    lastLines: () => kept.join('\n'),
    /** Calls back with each line of its standard output. */
    onLine: (listener: (line: string) => void) => void stdout.on('line', listener),
    async firstLine(): Promise<string> {
      const line = once(stdout, 'line').then(([text]) => String(text))
      const end = ended.then((code) => Promise.reject(new Error(`It ended with ${code}.\n${kept.join('\n')}`)))
      return Promise.race([line, end])
    },
    kill: () => signalGroup(child, 'SIGKILL'),
    /** Asks it to end, and forces it after a while; resolves with whether force was needed. */
    async stop(): Promise<boolean> {
      let isForced = false
      const timer = setTimeout(() => {
        isForced = true
        signalGroup(child, 'SIGKILL')
      }, stopTimeoutMs)
      child.kill('SIGTERM')
      // Not `ended`: somebody who inherited its output may live on.
      await exited.catch(() => {})
      clearTimeout(timer)
      return isForced
    },
  }
}

function waitFor(child: ChildProcess, event: 'exit' | 'close'): Promise<number | NodeJS.Signals> {
  const end = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject)
    child.once(event, (code: number | null, signal: NodeJS.Signals | null) => resolve(code ?? signal ?? 'SIGKILL'))
  })
  // Whoever waits sees the failure; a process that nobody waits for must not take the runner down.
  end.catch(() => {})
  return end
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // The group is gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

import { spawn, type ChildProcess } from 'node:child_process'

export interface ProgramRun {
  readonly code: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly timeoutMs?: number
}

const maxOutputCharacters = 4_000_000
const running = new Set<ChildProcess>()

/** Runs a program to its end and collects what it printed. One that takes too long ends with all that it started. */
export async function runProgram(
  [command, ...args]: readonly [string, ...string[]],
  { env, cwd, timeoutMs = 30_000 }: ProgramOptions,
): Promise<ProgramRun> {
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      if (output[name].length < maxOutputCharacters) output[name] += text
    })
  }
  const timer = setTimeout(() => killGroup(child), timeoutMs)
  try {
    const code = await new Promise<number | NodeJS.Signals>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (exitCode, signal) => resolve(exitCode ?? signal ?? 'SIGKILL'))
    })
    if (code === 'SIGKILL') throw new Error(`${command} did not end within ${timeoutMs / 1000} s.\n${output.stderr}`)
    return { code, ...output }
  } finally {
    clearTimeout(timer)
    running.delete(child)
  }
}

/** Ends the programs that still run, for whoever is interrupted. */
export function endPrograms(): void {
  for (const child of running) killGroup(child)
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // The group is gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

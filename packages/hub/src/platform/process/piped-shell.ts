import { type ChildProcess, spawn } from 'node:child_process'

/** A small shell that sees the end of this process, however it ends: the kernel closes the pipe that it reads from. */
export interface PipedShell {
  send(line: string): void
  /** Ends its input, as the end of this process would. */
  stop(): void
  /** Its process, or undefined between two of them. */
  readonly pid: number | undefined
}

export interface PipedShellOptions {
  /** What the list of processes shows. */
  readonly name: string
  /** POSIX shell. It reads lines; the end of its input is its signal. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
  /** Lines for one that was just started. */
  greeting?(): readonly string[]
}

const firstRestartMs = 100
const lastRestartMs = 10_000

/** Starts the shell; one that dies is replaced. */
export function startPipedShell(options: PipedShellOptions): PipedShell {
  let shell: ChildProcess | undefined
  let isStopped = false
  let restartMs = firstRestartMs

  const send = (line: string) => {
    // A write that fails means that the shell died; its successor is greeted anyway.
    if (shell?.stdin?.writable) shell.stdin.write(`${line}\n`)
  }

  const start = () => {
    if (isStopped) return
    const started = spawnShell(options)
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
    for (const line of options.greeting?.() ?? []) send(line)
  }

  start()
  return {
    send,
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

function spawnShell({ name, program, env }: PipedShellOptions): ChildProcess {
  // Through a variable, so that the list of processes shows a name and not a program.
  const shell = spawn('/bin/sh', ['-c', 'eval "$HERMA_PROGRAM"', name], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', ...env, HERMA_PROGRAM: program },
    // A session of its own keeps the terminal's signals away.
    detached: true,
  })
  // The write side reports a dead shell too; its exit is what counts.
  shell.stdin.on('error', () => undefined)
  // Neither the shell nor the pipe keeps this process alive.
  shell.unref()
  ;(shell.stdin as typeof shell.stdin & { unref(): void }).unref()
  return shell
}

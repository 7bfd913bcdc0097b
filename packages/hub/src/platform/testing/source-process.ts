import { type ChildProcessByStdio, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { bundleSource } from './bundle-source.ts'

export interface SourceProcess {
  readonly pid: number
  /** Lines of standard output so far. */
  readonly lines: string[]
  readonly errorText: () => string
  /** Resolves with the first line, past or future, that begins with this text; rejects when the program ends without. */
  waitForLine(start: string): Promise<string>
  readonly exited: Promise<number | null>
  kill(signal: NodeJS.Signals): void
}

const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs a TypeScript program of the testing folder in a process of its own, which ends with the test. */
export function runSource(name: string, args: string[] = [], options: SpawnOptions = {}): SourceProcess {
  const program = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, [bundleSource(program), ...args], {
    cwd: packageFolder,
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return watchProcess(child)
}

/** Follows a process that was spawned with pipes for its output. */
export function watchProcess(child: ChildProcessByStdio<null, Readable, Readable>): SourceProcess {
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  let errorText = ''
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => lines.push(line))
  child.stderr.on('data', (chunk: Buffer) => (errorText += chunk.toString()))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return {
    pid: child.pid ?? 0,
    lines,
    errorText: () => errorText,
    exited,
    kill: (signal) => void child.kill(signal),
    waitForLine: (start) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = lines.find((line) => line.startsWith(start))
          if (found !== undefined) resolve(found)
        }
        output.on('line', check)
        void exited.then(() => reject(new Error(`ended without '${start}': ${errorText}`)))
        check()
      }),
  }
}

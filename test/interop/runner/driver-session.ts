import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { McpRequest, Outcome, Session } from './client.ts'
import { parseExact, stringifyExact } from './exact-json.ts'

interface DriverOptions {
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
}

interface Waiting {
  resolve(outcome: Outcome): void
  reject(error: Error): void
}

const answerTimeoutMs = 30_000
const stopTimeoutMs = 5000
const maxErrorCharacters = 4000

/**
 * A client library in a process of its own, behind a small program that takes one request on each line of its standard
 * input and prints one outcome for each. It ends when its input does.
 */
export function openDriver({ command: [program, ...args], env }: DriverOptions): Session {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const waiting: Waiting[] = []
  let errorText = ''
  let endReason: string | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-maxErrorCharacters)
  })
  const ended = new Promise<void>((resolve) => {
    const end = (reason: string) => {
      endReason = `${reason}\n${errorText}`
      for (const { reject } of waiting.splice(0)) reject(new Error(endReason))
      resolve()
    }
    child.once('error', (error) => end(error.message))
    child.once('close', (code, signal) => end(`The driver ended with ${code ?? signal}.`))
  })
  // A driver that is gone says so by its end.
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    const next = waiting.shift()
    try {
      next?.resolve(readOutcome(line))
    } catch (error) {
      next?.reject(error as Error)
    }
  })

  return {
    async request(request: McpRequest): Promise<Outcome> {
      if (endReason !== undefined) throw new Error(endReason)
      // Without an answer there is no telling what the next line would belong to.
      const timer = setTimeout(() => child.kill('SIGKILL'), answerTimeoutMs)
      try {
        return await new Promise<Outcome>((resolve, reject) => {
          waiting.push({ resolve, reject })
          child.stdin.write(`${stringifyExact(request)}\n`)
        })
      } finally {
        clearTimeout(timer)
      }
    },
    async close() {
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      child.stdin.end()
      await ended
      clearTimeout(timer)
    },
  }
}

/** A line is an outcome, or `failure` with what no server sent. */
function readOutcome(line: string): Outcome {
  const { failure, ...outcome } = parseExact(line) as Outcome & { failure?: string }
  if (failure !== undefined) throw new Error(failure)
  return outcome
}

import { spawn } from 'node:child_process'
import { HubError, isQuoteOpen, splitWords } from '@herma/contract'
import { maxKeyTextBytes } from './parse-key.ts'

/** Time for a person to unlock a password store. */
const timeLimitMs = 60_000

/** What the command prints. It runs without a shell, and nothing that it prints gets into an error. */
export function runKeyCommand(command: string, limitMs = timeLimitMs): Promise<Buffer> {
  const [program, ...args] = splitWords(command)
  if (program === undefined) return Promise.reject(failure('', 'is empty'))
  if (isQuoteOpen(command)) return Promise.reject(failure(program, 'has a quote that is not closed'))
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    const chunks: Buffer[] = []
    let size = 0
    const fail = (what: string, cause?: unknown) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(failure(program, what, cause))
    }
    const timer = setTimeout(() => fail(`did not end within ${limitMs / 1000} s`), limitMs)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxKeyTextBytes) fail(`printed more than ${maxKeyTextBytes} bytes`)
      else chunks.push(chunk)
    })
    child.once('error', (error) => fail('could not be started', error))
    child.once('close', (code, signal) => {
      if (code !== 0) return fail(`ended with ${signal ?? `status ${code}`}`)
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    })
  })
}

function failure(program: string, what: string, cause?: unknown): HubError {
  return new HubError(
    'STORE_UNAVAILABLE',
    `The command '${program}' of HERMA_KEY_COMMAND ${what}. Run it by hand to see why; it must print the key alone.`,
    { cause },
  )
}

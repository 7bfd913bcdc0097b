import { spawn } from 'node:child_process'
import { HubError } from '@herma/contract'
import { maxKeyTextBytes } from './parse-key.ts'

/** Time for a person to unlock a password store. */
const timeLimitMs = 60_000

/** What the command prints. It runs without a shell, and nothing that it prints gets into an error. */
export function runKeyCommand(command: string, limitMs = timeLimitMs): Promise<Buffer> {
  const [program, ...args] = splitWords(command)
  if (program === undefined) return Promise.reject(failure('', 'is empty'))
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

/** Words as in a shell: blanks separate, quotes join, a backslash takes the next character as it is. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  for (const [, single, double, escaped, plain, blank] of text.matchAll(pieces)) {
    if (blank !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '')
  }
  return word === null ? words : [...words, word]
}

const pieces = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+|['"\\])|(\s+)/gs

function failure(program: string, what: string, cause?: unknown): HubError {
  return new HubError(
    'STORE_UNAVAILABLE',
    `The command '${program}' of HERMA_KEY_COMMAND ${what}. Run it by hand to see why; it must print the key alone.`,
    { cause },
  )
}

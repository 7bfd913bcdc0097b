import { setMaxListeners } from 'node:events'
import { isObject } from '../../../wire/index.ts'

/**
 * Does what a script asks for, until the signal says that the script is over. What it rejects with becomes an error of
 * the script, by its message.
 */
export type AskAnswerer = (
  kind: string,
  payload: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<unknown>

export const maxCalls = 200
const maxAtOnce = 16
/** A longer answer would fill the memory of the script. */
const maxAnswerLength = 8 * 2 ** 20

/** Everything that one script asks for: counted, a few at a time, and answered with text. */
export class SandboxAsks {
  readonly #answerer: AskAnswerer
  readonly #waiting: (() => void)[] = []
  readonly #over = new AbortController()
  #running = 0
  #calls = 0

  constructor(answerer: AskAnswerer) {
    this.#answerer = answerer
    setMaxListeners(maxAtOnce, this.#over.signal)
  }

  /** Never rejects: the answer is the JSON text of `{ value }` or `{ error }`. */
  readonly answer = async (kind: string, json: string): Promise<string> => {
    try {
      this.#count(kind)
      await this.#takeTurn()
      try {
        if (this.#over.signal.aborted) throw new Error('The script is over.')
        return toText(await this.#answerer(kind, readPayload(json), this.#over.signal))
      } finally {
        this.#passTurn()
      }
    } catch (error) {
      return JSON.stringify({ error: error instanceof Error ? error.message : String(error) })
    }
  }

  /** The script is over: what has not begun never will. */
  close(): void {
    this.#over.abort()
  }

  #count(kind: string): void {
    if (kind === 'call' && ++this.#calls > maxCalls) {
      throw new Error(`A script may call tools ${maxCalls} times. Do the rest with another script.`)
    }
  }

  async #takeTurn(): Promise<void> {
    if (this.#running >= maxAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
  }

  #passTurn(): void {
    const next = this.#waiting.shift()
    if (next !== undefined) next()
    else this.#running--
  }
}

function toText(value: unknown): string {
  const text = JSON.stringify({ value })
  if (text.length <= maxAnswerLength) return text
  throw new Error(`The answer has ${text.length} characters; a script takes ${maxAnswerLength}. Ask for less.`)
}

function readPayload(json: string): Record<string, unknown> {
  const payload: unknown = JSON.parse(json)
  return isObject(payload) ? payload : {}
}

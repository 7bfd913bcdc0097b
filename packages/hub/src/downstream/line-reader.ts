import { HubError } from '@herma/contract'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Cuts a byte stream into lines. A line beyond the limit throws, or is cut where that loses nothing that matters. */
export class LineReader {
  readonly #onLine: (line: Buffer) => void
  readonly #limit: number
  readonly #beyond: 'throw' | 'cut'
  #parts: Buffer[] = []
  #size = 0

  constructor(onLine: (line: Buffer) => void, limit: number, beyond: 'throw' | 'cut' = 'throw') {
    this.#onLine = onLine
    this.#limit = limit
    this.#beyond = beyond
  }

  push(chunk: Buffer): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(lineFeed, from)
      if (end < 0) break
      this.#keep(chunk.subarray(from, end))
      this.#flush()
      from = end + 1
    }
    if (from < chunk.length) this.#keep(from === 0 ? chunk : chunk.subarray(from))
  }

  #keep(part: Buffer): void {
    const room = this.#limit - this.#size
    if (part.length > room && this.#beyond === 'throw') {
      throw new HubError(
        'ANSWER_TOO_LARGE',
        `a message is larger than ${this.#limit} bytes; raise it with --option maxMessageBytes=N`,
      )
    }
    if (room <= 0) return
    this.#parts.push(part.length > room ? part.subarray(0, room) : part)
    this.#size += Math.min(part.length, room)
  }

  #flush(): void {
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    this.#size = 0
    this.#onLine(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line)
  }
}

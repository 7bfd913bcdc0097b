const lineFeed = 0x0a
const carriageReturn = 0x0d

/** What is kept of a line beyond the limit. */
export interface LongLine {
  readonly head: Buffer
  readonly tail: Buffer
  readonly size: number
}

export interface LongLineHandler {
  /** Told while a line beyond the limit goes on; what it throws ends the reading. */
  onGrow(line: Omit<LongLine, 'tail'>): void
  onEnd(line: LongLine): void
}

/** Enough to find out whose answer it was. */
const keptBytes = 4096

/** Cuts a byte stream into lines. Of a line beyond the limit only its begin and end are kept, or it is cut. */
export class LineReader {
  readonly #onLine: (line: Buffer) => void
  readonly #limit: number
  readonly #beyond: 'cut' | LongLineHandler
  #parts: Buffer[] = []
  #size = 0
  /** The begin of a line beyond the limit. */
  #head: Buffer | null = null
  #tail: Buffer = Buffer.alloc(0)

  constructor(onLine: (line: Buffer) => void, limit: number, beyond: 'cut' | LongLineHandler) {
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
    if (this.#beyond === 'cut') {
      if (room <= 0) return
      this.#parts.push(part.length > room ? part.subarray(0, room) : part)
      this.#size += Math.min(part.length, room)
      return
    }
    this.#size += part.length
    if (part.length <= room) this.#parts.push(part)
    else this.#keepEnds(part, this.#beyond)
  }

  /** Copies what is kept, so that the rest can be freed. */
  #keepEnds(part: Buffer, handler: LongLineHandler): void {
    if (this.#head === null) {
      const whole = Buffer.concat(this.#parts)
      this.#parts = []
      this.#head = Buffer.concat([whole.subarray(0, keptBytes), part.subarray(0, keptBytes)]).subarray(0, keptBytes)
      this.#tail = Buffer.from(whole.subarray(-keptBytes))
    }
    const tail = Buffer.concat([this.#tail, part.subarray(-keptBytes)])
    this.#tail = tail.length > keptBytes ? Buffer.from(tail.subarray(-keptBytes)) : tail
    handler.onGrow({ head: this.#head, size: this.#size })
  }

  #flush(): void {
    const size = this.#size
    this.#size = 0
    if (this.#head !== null && this.#beyond !== 'cut') {
      const line = { head: this.#head, tail: this.#tail, size }
      this.#head = null
      this.#tail = Buffer.alloc(0)
      this.#beyond.onEnd(line)
      return
    }
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    this.#parts = []
    this.#onLine(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line)
  }
}

/** Whether there is nothing to read in it; some programs write such lines between their messages. */
export function isBlank(line: Buffer): boolean {
  return !line.some((byte) => byte > 0x20)
}

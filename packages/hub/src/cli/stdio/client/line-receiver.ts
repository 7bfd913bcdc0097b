import type { RequestId } from '../../../wire/index.ts'

export interface LineListener {
  onLine(line: Buffer): void
  /** A line beyond the limit; its id when that could be seen without keeping the line. */
  onLongLine(id: RequestId | null): void
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
/** What is kept of the two ends of a line that is too long, to find its id. */
const edgeBytes = 512

/** Cuts standard input into lines. One that is too long is skipped to its end, and the next ones are read as ever. */
export class LineReceiver {
  readonly #listener: LineListener
  readonly #limit: number
  #parts: Buffer[] = []
  #size = 0
  #head: Buffer | null = null

  constructor(listener: LineListener, limit: number) {
    this.#listener = listener
    this.#limit = limit
  }

  push(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, end))
      this.end()
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  /** Ends the line that is being read, also at the end of the input. */
  end(): void {
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    const head = this.#head
    this.#parts = []
    this.#size = 0
    this.#head = null
    if (head !== null) return this.#listener.onLongLine(findId(head.toString('utf8'), line.toString('utf8')))
    const text = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
    if (text.length > 0) this.#listener.onLine(text)
  }

  #keep(part: Buffer): void {
    this.#parts.push(part)
    this.#size += part.length
    if (this.#size <= this.#limit) return
    const kept = Buffer.concat(this.#parts)
    this.#head ??= Buffer.from(kept.subarray(0, edgeBytes))
    this.#parts = [Buffer.from(kept.subarray(-edgeBytes))]
    this.#size = this.#limit
  }
}

// At these two places an id is certainly that of the message and not of something inside of it.
function findId(head: string, tail: string): RequestId | null {
  const first = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,15})\s*,/.exec(head)
  const last = /,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,15})\s*\}\s*$/.exec(tail)
  try {
    return JSON.parse(first?.[1] ?? last?.[1] ?? 'null') as RequestId | null
  } catch {
    // Such as a number with a leading zero: then it has no id that could be answered.
    return null
  }
}

const newline = 0x0a

export interface LineHandlers {
  line(line: Buffer): void
  /** A line was longer than allowed; the rest of it is skipped. */
  tooLong(): void
}

/** Cuts a stream of bytes into lines, keeping at most one unfinished line of limited length. */
export class LineReader {
  readonly #maxBytes: number
  readonly #handlers: LineHandlers
  #chunks: Buffer[] = []
  #length = 0
  #isSkipping = false

  constructor(maxBytes: number, handlers: LineHandlers) {
    this.#maxBytes = maxBytes
    this.#handlers = handlers
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#take(chunk.subarray(start, end))
      this.#finish()
      start = end + 1
    }
    this.#take(chunk.subarray(start))
  }

  #take(part: Buffer): void {
    if (part.length === 0 || this.#isSkipping) return
    this.#length += part.length
    if (this.#length <= this.#maxBytes) return void this.#chunks.push(part)
    this.#chunks = []
    this.#isSkipping = true
    this.#handlers.tooLong()
  }

  #finish(): void {
    const line = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    const isWhole = !this.#isSkipping && line.some((byte) => byte > 0x20)
    this.#chunks = []
    this.#length = 0
    this.#isSkipping = false
    if (isWhole) this.#handlers.line(line)
  }
}

/** Cuts a byte stream into the lines of the stdio transport, joining a line only once when it is complete. */
export class LineReader {
  readonly #onLine: (line: Buffer) => void
  #parts: Buffer[] = []

  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine
  }

  push(chunk: Buffer): void {
    let at = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      this.#parts.push(chunk.subarray(at, end))
      at = end + 1
      const line = this.#parts.length === 1 && this.#parts[0] ? this.#parts[0] : Buffer.concat(this.#parts)
      this.#parts = []
      if (line.length > 0) this.#onLine(line)
    }
    if (at < chunk.length) this.#parts.push(chunk.subarray(at))
  }
}

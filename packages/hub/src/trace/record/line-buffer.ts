/** Lines that go to the store together. */
export interface LineChunk {
  readonly bytes: Buffer
  readonly lines: number
}

const chunkBytes = 131_072
const maxSpare = 16
// No character takes more bytes in UTF-8 for each unit of its length in JavaScript.
const maxBytesPerUnit = 3

/**
 * Collects lines as bytes. A hundred thousand strings that wait would keep the garbage collector busier than everything
 * else that recording does; bytes cost it nothing.
 */
export class LineBuffer {
  readonly #onFull: (chunk: LineChunk) => void
  #spare: Buffer[] = []
  #current: Buffer | undefined
  #used = 0
  #lines = 0

  constructor(onFull: (chunk: LineChunk) => void) {
    this.#onFull = onFull
  }

  get isEmpty(): boolean {
    return this.#lines === 0
  }

  add(line: string): void {
    const most = line.length * maxBytesPerUnit
    if (most > chunkBytes) {
      this.seal()
      this.#onFull({ bytes: Buffer.from(line), lines: 1 })
      return
    }
    if (this.#used + most > chunkBytes) this.seal()
    this.#current ??= this.#spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
    this.#used += this.#current.write(line, this.#used)
    this.#lines++
  }

  /** Hands over what there is. */
  seal(): void {
    if (this.#current === undefined || this.#lines === 0) return
    const chunk = { bytes: this.#current.subarray(0, this.#used), lines: this.#lines }
    this.#current = undefined
    this.#used = this.#lines = 0
    this.#onFull(chunk)
  }

  /** Takes the memory of a chunk back, once nobody reads it any more. */
  reuse({ bytes }: LineChunk): void {
    if (bytes.buffer.byteLength === chunkBytes && this.#spare.length < maxSpare)
      this.#spare.push(Buffer.from(bytes.buffer as ArrayBuffer))
  }
}

/** The lines of a chunk, one by one; a line break inside a line is escaped. */
export function splitLines({ bytes }: LineChunk): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf('\n', start) + 1 || bytes.length
    lines.push(bytes.subarray(start, end))
    start = end
  }
  return lines
}

/** Of the line that tells the size of a chunk, with what may follow the size. */
const maxLineBytes = 1024
/** Of the fields behind the last chunk, which nobody here reads. */
const maxTrailerBytes = 8192

const sizeLine = /^([0-9a-f]{1,8})(?:;[!-~]+)?$/i
const trailerLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*$/
/** What says how a message is framed must not come behind it: https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1 */
const framingField = /^(?:content-length|transfer-encoding):/i

/**
 * Takes the chunks of a body apart. Strict: what could be read in two ways is an error.
 * https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
export class ChunkedBody {
  /** Bytes that are left of the chunk. */
  #left = 0
  #state: 'size' | 'data' | 'data-end' | 'trailer' | 'done' = 'size'
  /** The begin of a line whose end has not come yet. */
  #line = ''
  #trailerBytes = 0
  readonly #onData: (data: Buffer) => void

  constructor(onData: (data: Buffer) => void) {
    this.#onData = onData
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }

  /** Returns how much of the bytes belongs to the body; less than all of them means that it is over. Throws an Error. */
  push(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#left)
        this.#left -= end - at
        if (this.#left === 0) this.#state = 'data-end'
        this.#onData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
        at = end
        continue
      }
      const newline = bytes.indexOf(0x0a, at)
      const end = newline < 0 ? bytes.length : newline + 1
      this.#line += bytes.toString('latin1', at, end)
      at = end
      if (this.#line.length > maxLineBytes && this.#state !== 'trailer')
        throw new Error('a line of a chunk is too long')
      if (this.#line.length > maxTrailerBytes) throw new Error('what follows the last chunk is too long')
      if (newline < 0) break
      const line = this.#line
      this.#line = ''
      if (!line.endsWith('\r\n')) throw new Error('a line of a chunk does not end with CR LF')
      this.#takeLine(line.slice(0, -2))
    }
    return at
  }

  #takeLine(line: string): void {
    if (this.#state === 'data-end') {
      if (line !== '') throw new Error('a chunk is longer than it says')
      this.#state = 'size'
    } else if (this.#state === 'size') {
      const size = sizeLine.exec(line)?.[1]
      if (size === undefined) throw new Error('a chunk does not say its size')
      this.#left = Number.parseInt(size, 16)
      this.#state = this.#left === 0 ? 'trailer' : 'data'
    } else if (line === '') this.#state = 'done'
    else {
      this.#trailerBytes += line.length
      const isField = trailerLine.test(line) && !framingField.test(line)
      if (this.#trailerBytes > maxTrailerBytes || !isField)
        throw new Error('what follows the last chunk is no list of fields')
    }
  }
}

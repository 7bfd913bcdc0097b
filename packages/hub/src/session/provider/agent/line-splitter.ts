import { StringDecoder } from 'node:string_decoder'

/** Cuts output into lines. Of a line beyond the limit nothing is kept, and that is told. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #maxLength: number
  readonly #onLine: (line: string) => void
  readonly #onTooLong: () => void
  #rest = ''
  #isTooLong = false

  constructor(maxLength: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxLength = maxLength
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  push(chunk: Buffer): void {
    const lines = this.#decoder.write(chunk).split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      this.#keep(line)
      this.end()
    }
    this.#keep(last)
  }

  /** What came last need not have an end. */
  end(): void {
    const line = this.#rest.trim()
    if (this.#isTooLong) this.#onTooLong()
    else if (line !== '') this.#onLine(line)
    this.#rest = ''
    this.#isTooLong = false
  }

  #keep(text: string): void {
    if (this.#isTooLong || this.#rest.length + text.length > this.#maxLength) {
      this.#isTooLong = true
      this.#rest = ''
    } else this.#rest += text
  }
}

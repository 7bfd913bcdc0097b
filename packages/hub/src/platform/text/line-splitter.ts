import { StringDecoder } from 'node:string_decoder'

export interface LineSplitterOptions {
  readonly maxLength: number
  /** Of a line beyond the limit its beginning comes, and `isCut` says so. */
  onLine(line: string, isCut: boolean): void
}

/** Cuts the text that a program prints into lines. */
export class LineSplitter {
  readonly #options: LineSplitterOptions
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #isCut = false

  constructor(options: LineSplitterOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n')
    this.#keep(first)
    for (const text of others) {
      this.#finish()
      this.#keep(text)
    }
  }

  /** What came last need not have an end. */
  end(): void {
    this.#keep(this.#decoder.end())
    if (this.#rest !== '') this.#finish()
  }

  #keep(text: string): void {
    const room = this.#options.maxLength - this.#rest.length
    if (text.length > room) this.#isCut = true
    if (room > 0) this.#rest += text.slice(0, room)
  }

  #finish(): void {
    const [line, isCut] = [this.#rest, this.#isCut]
    this.#rest = ''
    this.#isCut = false
    this.#options.onLine(line, isCut)
  }
}

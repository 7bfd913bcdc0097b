import { StringDecoder } from 'node:string_decoder'

const maxLineLength = 1024 * 1024

/** Cuts what a program prints into lines without colours. Of a line that does not end its beginning is kept. */
export class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  push(chunk: Buffer): void {
    const [first, ...others] = this.#decoder.write(chunk).split('\n')
    this.#keep(first!)
    for (const text of others) {
      this.#finish()
      this.#keep(text)
    }
  }

  end(): void {
    this.#keep(this.#decoder.end())
    if (this.#rest !== '') this.#finish()
  }

  #keep(text: string): void {
    if (this.#rest.length < maxLineLength) this.#rest += text.slice(0, maxLineLength - this.#rest.length)
  }

  #finish(): void {
    const line = this.#rest
    this.#rest = ''
    this.#onLine(clean(line))
  }
}

// oxlint-disable-next-line no-control-regex -- Control characters are what this is about.
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\^_])/g

// A carriage return overwrites the line on a terminal, as progress bars do; what stands last is what remains.
function clean(line: string): string {
  const plain = line.replaceAll(escapes, '')
  let end = plain.length
  // A regular expression would look at a million of them from each of them.
  while (plain[end - 1] === '\r') end--
  return plain.slice(plain.lastIndexOf('\r', end - 1) + 1, end)
}

/** The last lines of an output, up to a number of bytes. */
export class LastLines {
  readonly #limit: number
  #lines: string[] = []
  #bytes = 0
  #start = 0
  #isCut = false

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  add(line: string): void {
    const bytes = Buffer.byteLength(line) + 1
    if (bytes > this.#limit) {
      this.#isCut = true
      this.#lines = [Buffer.from(line).subarray(-this.#limit).toString('utf8')]
      this.#start = 0
      this.#bytes = this.#limit
      return
    }
    this.#lines.push(line)
    this.#bytes += bytes
    while (this.#bytes > this.#limit) {
      this.#isCut = true
      this.#bytes -= Buffer.byteLength(this.#lines[this.#start]!) + 1
      this.#lines[this.#start++] = ''
    }
    // Moving what is left only now and then keeps a flood of lines cheap.
    if (this.#start > 1000 && this.#start > this.#lines.length / 2) {
      this.#lines = this.#lines.slice(this.#start)
      this.#start = 0
    }
  }

  get isCut(): boolean {
    return this.#isCut
  }

  toString(): string {
    return this.#lines.slice(this.#start).join('\n')
  }
}

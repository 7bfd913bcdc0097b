/** What a command writes, from the beginning and up to a limit. */
export class OutputHead {
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #length = 0
  #isOver = false

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    this.#isOver ||= this.#length + chunk.length > this.#limit
    if (this.#isOver) return
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }

  /** True once there was more than the limit. */
  get isOver(): boolean {
    return this.#isOver
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** The end of what a command writes. */
export class OutputTail {
  readonly #limit: number
  #bytes = Buffer.alloc(0)
  #isCut = false

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.#bytes, chunk.subarray(-this.#limit - 1)])
    this.#isCut ||= all.length > this.#limit
    this.#bytes = all.subarray(-this.#limit)
  }

  /**
   * The text after `redact`. Where the beginning was cut off, another piece goes away after masking: the rest of a
   * secret that was cut in half would not be known for one.
   */
  toText(redact: (text: string) => string): string {
    const text = redact(this.#bytes.toString('utf8'))
    return this.#isCut ? text.slice(maxSecretLength) : text
  }
}

export const maxSecretLength = 4096

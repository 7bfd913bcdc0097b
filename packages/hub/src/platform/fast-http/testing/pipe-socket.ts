import { Duplex } from 'node:stream'

/** A socket without a network: a test pushes what the other side sends, and reads what is written. */
export class PipeSocket extends Duplex {
  written = ''
  readonly #onWrite: (() => void) | undefined

  /** `onWrite` is called once, when the first bytes are written. */
  constructor(onWrite?: () => void) {
    super({ allowHalfOpen: true })
    this.#onWrite = onWrite
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const isFirst = this.written === ''
    this.written += chunk.toString('latin1')
    done()
    if (isFirst) this.#onWrite?.()
  }

  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }
}

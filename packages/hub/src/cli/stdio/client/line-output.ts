import type { Writable } from 'node:stream'

import { writeJson } from '../../../wire/index.ts'

/** Bytes that may wait for a client that reads slowly before its requests are read more slowly too. */
const highWaterMark = 1024 * 1024
const lineBreaks = /[\r\n]/

/** Standard output as lines of JSON. Nothing else may be written there. */
export class LineOutput {
  readonly #stream: Writable
  /** Resolves when the client reads no more. */
  readonly closed: Promise<void>
  #isClosed = false
  #draining: Promise<void> | null = null

  constructor(stream: Writable) {
    this.#stream = stream
    this.closed = new Promise((resolve) => {
      const close = () => {
        this.#isClosed = true
        resolve()
      }
      stream.once('close', close)
      // A client that left is an end like any other, not a failure.
      stream.on('error', close)
    })
  }

  get isFull(): boolean {
    return !this.#isClosed && this.#stream.writableLength > highWaterMark
  }

  send(message: object): void {
    this.write(writeJson(message))
  }

  /** Writes one serialised message. */
  write(message: Buffer | string): void {
    if (this.#isClosed) return
    this.#stream.cork()
    this.#stream.write(toOneLine(message))
    this.#stream.write('\n')
    this.#stream.uncork()
  }

  /** Resolves at once unless the client is behind with reading. */
  async drained(): Promise<void> {
    if (!this.isFull) return
    this.#draining ??= new Promise((resolve) => {
      this.#stream.once('drain', () => {
        this.#draining = null
        resolve()
      })
    })
    await Promise.race([this.#draining, this.closed])
  }

  /** Resolves when everything has been written, or the client is gone. */
  async flushed(): Promise<void> {
    if (this.#isClosed || this.#stream.writableLength === 0) return
    const written = new Promise<void>((resolve) => this.#stream.write('', () => resolve()))
    await Promise.race([written, this.closed])
  }
}

// Answers pass as their server wrote them. A line break can only stand between tokens, where a space does as well.
function toOneLine(message: Buffer | string): Buffer | string {
  if (typeof message === 'string') return lineBreaks.test(message) ? message.replaceAll(/[\r\n]/g, ' ') : message
  if (!message.includes(0x0a) && !message.includes(0x0d)) return message
  return Buffer.from(message.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)))
}

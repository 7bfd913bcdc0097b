import type { LogLine } from '@herma/contract'

const maxLines = 1000
const maxLineLength = 4000

/** The last lines that a server wrote to standard error, and what the hub remarked about it. */
export class StderrRing {
  readonly #lines: LogLine[] = []
  readonly #redact: (text: string) => string
  #start = 0

  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  add(stream: LogLine['stream'], text: string): void {
    // Masked before it is cut: half a secret would not be known for one.
    const line = { at: new Date().toISOString(), stream, text: this.#redact(text).slice(0, maxLineLength) }
    if (this.#lines.length < maxLines) this.#lines.push(line)
    else {
      this.#lines[this.#start] = line
      this.#start = (this.#start + 1) % maxLines
    }
  }

  /** Oldest first. */
  last(limit = maxLines): LogLine[] {
    const ordered = [...this.#lines.slice(this.#start), ...this.#lines.slice(0, this.#start)]
    return limit >= ordered.length ? ordered : ordered.slice(ordered.length - limit)
  }
}

import { HubError } from '@herma/contract/plain'

export interface SseEvent {
  readonly type: string
  readonly data: Buffer
  readonly id: string | undefined
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
/** What keeping a line takes besides its text; without it a flood of empty lines would count for nothing. */
const lineCost = 64

/**
 * Reads a text/event-stream chunk by chunk. Data stays bytes, so that a large answer is never decoded on its way.
 * An event beyond the limit throws: its stream cannot be trusted to end.
 */
export class SseParser {
  readonly #onEvent: (event: SseEvent) => void
  readonly #limit: number
  #parts: Buffer[] = []
  #size = 0
  #type = ''
  #data: Buffer[] = []
  #dataSize = 0
  #id: string | undefined
  /** Reconnection time that the server asked for. */
  retryMs: number | undefined

  constructor(onEvent: (event: SseEvent) => void, limit: number) {
    this.#onEvent = onEvent
    this.#limit = limit
  }

  /** What is kept of an event whose end has not come. */
  get unfinishedBytes(): number {
    return this.#size + this.#dataSize
  }

  push(chunk: Buffer): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(lineFeed, from)
      if (end < 0) break
      this.#line(this.#take(chunk.subarray(from, end)))
      from = end + 1
    }
    if (from === chunk.length) return
    this.#parts.push(from === 0 ? chunk : chunk.subarray(from))
    this.#size += chunk.length - from
    this.#check(this.#size + this.#dataSize)
  }

  #take(rest: Buffer): Buffer {
    let line = rest
    if (this.#parts.length > 0) {
      this.#parts.push(rest)
      line = Buffer.concat(this.#parts)
      this.#parts = []
      this.#size = 0
    }
    return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
  }

  #line(line: Buffer): void {
    if (line.length === 0) return this.#dispatch()
    const colon = line.indexOf(0x3a)
    // A line that starts with a colon is a comment, used as keep-alive.
    if (colon === 0) return
    const field = line.toString('latin1', 0, colon < 0 ? line.length : colon)
    let from = colon < 0 ? line.length : colon + 1
    if (line[from] === 0x20) from++
    if (field === 'data') {
      this.#data.push(line.subarray(from))
      this.#dataSize += line.length - from + lineCost
      this.#check(this.#dataSize)
    } else if (field === 'event') this.#type = line.toString('utf8', from)
    else if (field === 'id') this.#id = line.toString('utf8', from)
    else if (field === 'retry' && /^\d{1,9}$/.test(line.toString('latin1', from)))
      this.retryMs = Number(line.toString('latin1', from))
  }

  #dispatch(): void {
    const lines = this.#data
    if (lines.length === 0 && this.#id === undefined) {
      this.#type = ''
      return
    }
    const data = lines.length === 1 ? lines[0]! : joinLines(lines)
    const event = { type: this.#type === '' ? 'message' : this.#type, data, id: this.#id }
    this.#type = ''
    this.#data = []
    this.#dataSize = 0
    this.#id = undefined
    this.#onEvent(event)
  }

  #check(size: number): void {
    if (size > this.#limit) {
      throw new HubError('ANSWER_TOO_LARGE', `A stream event is larger than ${this.#limit} bytes.`)
    }
  }
}

function joinLines(lines: Buffer[]): Buffer {
  if (lines.length === 0) return Buffer.alloc(0)
  const separator = Buffer.from('\n')
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [separator, line])))
}

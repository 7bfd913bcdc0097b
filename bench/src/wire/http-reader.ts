/** One HTTP/1.1 request or response, read whole. */
export interface HttpMessage {
  startLine: string
  header(name: string): string | undefined
  body: Buffer
}

/**
 * Cuts a byte stream into HTTP/1.1 messages. Written by hand because node:http would make the load client and the
 * test server the slowest parts of a measurement; it reads what MCP over HTTP sends and nothing else.
 */
export class HttpReader {
  readonly #kind: 'request' | 'response'
  readonly #onMessage: (message: HttpMessage) => void
  #chunks: Buffer[] = []
  #size = 0
  /** Bytes needed before another look is worth it, so that a large body is not joined again for every packet. */
  #needed = 0
  #head: Head | undefined

  constructor(kind: 'request' | 'response', onMessage: (message: HttpMessage) => void) {
    this.#kind = kind
    this.#onMessage = onMessage
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#size > 0 && this.#size >= this.#needed && this.#readMessage());
  }

  /** The stream ended: a response without a length is complete now. */
  end(): void {
    if (this.#head?.framing !== 'until-close') return
    const bytes = this.#join()
    this.#finish(this.#head, bytes.subarray(this.#head.at), bytes.length)
  }

  #readMessage(): boolean {
    const bytes = this.#join()
    if (!this.#head) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) return false
      this.#head = readHead(bytes.toString('latin1', 0, end), end + 4, this.#kind)
    }
    const head = this.#head
    switch (head.framing) {
      case 'none':
        return this.#finish(head, EMPTY, head.at)
      case 'length': {
        const end = head.at + head.length
        if (bytes.length < end) return this.#wait(end)
        return this.#finish(head, bytes.subarray(head.at, end), end)
      }
      case 'chunked':
        return this.#readChunks(head, bytes)
      case 'until-close':
        return false
    }
  }

  #readChunks(head: Head, bytes: Buffer): boolean {
    for (;;) {
      const lineEnd = bytes.indexOf('\r\n', head.at)
      if (lineEnd < 0) return this.#wait(bytes.length + 1)
      const length = Number.parseInt(bytes.toString('latin1', head.at, lineEnd), 16)
      const next = lineEnd + 2 + length + 2
      if (bytes.length < next) return this.#wait(next)
      if (length === 0) return this.#finish(head, joinParts(head.parts), next)
      head.parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
      head.at = next
    }
  }

  #wait(needed: number): false {
    this.#needed = needed
    return false
  }

  #finish(head: Head, body: Buffer, end: number): true {
    const bytes = this.#join()
    this.#chunks = end < bytes.length ? [bytes.subarray(end)] : []
    this.#size = bytes.length - end
    this.#needed = 0
    this.#head = undefined
    // 1xx answers precede the real one.
    if (!head.isInterim) this.#onMessage({ startLine: head.startLine, header: (name) => findHeader(head, name), body })
    return true
  }

  #join(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] ?? EMPTY
  }
}

interface Head {
  text: string
  lower: string
  startLine: string
  isInterim: boolean
  framing: 'none' | 'length' | 'chunked' | 'until-close'
  length: number
  /** Where the body, or its next chunk, starts. */
  at: number
  parts: Buffer[]
}

const EMPTY = Buffer.alloc(0)

const joinParts = (parts: Buffer[]) => (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts))

function readHead(text: string, at: number, kind: 'request' | 'response'): Head {
  const lineEnd = text.indexOf('\r\n')
  const startLine = lineEnd < 0 ? text : text.slice(0, lineEnd)
  const status = kind === 'response' ? startLine.slice(9, 12) : ''
  const head: Head = {
    text,
    lower: text.toLowerCase(),
    startLine,
    isInterim: status.startsWith('1'),
    framing: 'none',
    length: 0,
    at,
    parts: [],
  }
  if (head.isInterim || status === '204' || status === '304') return head
  const length = findHeader(head, 'content-length')
  if (findHeader(head, 'transfer-encoding')?.toLowerCase() === 'chunked') head.framing = 'chunked'
  else if (length !== undefined) Object.assign(head, { framing: 'length', length: Number.parseInt(length, 10) })
  else if (kind === 'response') head.framing = 'until-close'
  return head
}

function findHeader(head: Head, name: string): string | undefined {
  const start = head.lower.indexOf(`\r\n${name}:`)
  if (start < 0) return undefined
  const end = head.text.indexOf('\r\n', start + 2)
  return head.text.slice(start + name.length + 3, end < 0 ? undefined : end).trim()
}

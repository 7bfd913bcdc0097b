/** What stands before the body of an ordinary response. */
export interface ResponseHead {
  readonly status: number
  /** Names in lower case, and values, in turn. */
  readonly headers: readonly string[]
  /** How long the body is: in bytes, or as its chunks say, or until the connection ends. */
  readonly framing: number | 'chunked' | 'until-close'
  /** Whether another request may follow on the same connection. */
  readonly isKeptAlive: boolean
  /** For how long the server keeps the connection, when it says so. */
  readonly keptMs: number | null
}

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t -~]*)?$/
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?((?:[!-~](?:[ \t!-~]*[!-~])?)?)$/
const plainLength = /^(?:0|[1-9]\d{0,14})$/

/**
 * Reads the head of an ordinary response: HTTP/1.1, framed in exactly one way, nothing but visible ASCII. Null for all
 * others, which are undici's. `text` ends before the empty line.
 */
export function readResponseHead(text: string): ResponseHead | null {
  let lineEnd = text.indexOf('\r\n')
  if (lineEnd < 0) lineEnd = text.length
  const status = Number(statusLine.exec(text.slice(0, lineEnd))?.[1])
  // What comes before an answer, and answers that never have a body, have rules of their own.
  if (!(status >= 200) || status === 204 || status === 304) return null
  const headers: string[] = []
  let length: number | null = null
  let isChunked = false
  let isKeptAlive = true
  let keptMs: number | null = null
  for (let at = lineEnd + 2; at <= text.length;) {
    let end = text.indexOf('\r\n', at)
    if (end < 0) end = text.length
    const match = headerLine.exec(text.slice(at, end))
    if (match === null) return null
    const name = match[1]!.toLowerCase()
    const value = match[2]!
    headers.push(name, value)
    if (name === 'content-length') {
      if (length !== null || !plainLength.test(value)) return null
      length = Number(value)
    } else if (name === 'transfer-encoding') {
      if (isChunked || value.toLowerCase() !== 'chunked') return null
      isChunked = true
    } else if (name === 'connection') {
      const said = value.toLowerCase()
      if (said === 'close') isKeptAlive = false
      else if (said !== 'keep-alive') return null
    } else if (name === 'keep-alive') {
      const seconds = /(?:^|[,; ])timeout=(\d{1,6})/i.exec(value)?.[1]
      if (seconds !== undefined) keptMs = Number(seconds) * 1000
    } else if (name === 'upgrade' || name === 'content-encoding') return null
    at = end + 2
  }
  if (isChunked && length !== null) return null
  const framing = isChunked ? 'chunked' : (length ?? 'until-close')
  return { status, headers, framing, isKeptAlive: isKeptAlive && framing !== 'until-close', keptMs }
}

import type { IncomingHttpHeaders } from 'node:http'

/** What stands before the body of an ordinary request. */
export interface RequestHead {
  /** The path, without a query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Bytes of the body. */
  readonly length: number
}

/** The method and a path of plain characters; whatever has a query, an escape or another method is not ordinary. */
const requestLine = /^POST (\/[\w/.-]*) HTTP\/1\.1$/
/** A name is a token, and a value is visible ASCII with spaces and tabs inside of it. */
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?((?:[!-~](?:[ \t!-~]*[!-~])?)?)$/
const plainLength = /^(?:0|[1-9]\d{0,8})$/

/** What changes how a message is framed, or asks for something else than an answer. */
const extraordinary: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'http2-settings',
  'te',
  'trailer',
  'proxy-connection',
  'content-encoding',
  'origin',
  'set-cookie',
  'access-control-request-method',
  'access-control-request-headers',
  'access-control-request-private-network',
])

/**
 * Reads the head of an ordinary POST: HTTP/1.1, one Host, one Content-Length, every header once, nothing but visible
 * ASCII. Null for all others, which are node:http's. It accepts nothing that node:http would refuse or take for
 * something else, so that nobody can hide a request from one of them:
 * https://www.rfc-editor.org/rfc/rfc9112#section-11.2
 *
 * `text` ends before the empty line.
 */
export function readRequestHead(text: string): RequestHead | null {
  const lineEnd = text.indexOf('\r\n')
  if (lineEnd < 0) return null
  const path = requestLine.exec(text.slice(0, lineEnd))?.[1]
  if (path === undefined) return null
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  for (let at = lineEnd + 2; at <= text.length;) {
    let end = text.indexOf('\r\n', at)
    if (end < 0) end = text.length
    const match = headerLine.exec(text.slice(at, end))
    if (match === null) return null
    const name = match[1]!.toLowerCase()
    if (headers[name] !== undefined || extraordinary.has(name) || name in Object.prototype) return null
    headers[name] = match[2]!
    at = end + 2
  }
  const { host, connection, 'content-length': length } = headers
  if (host === undefined || host === '' || length === undefined || !plainLength.test(length)) return null
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return null
  return { path, headers, length: Number(length) }
}

import type { IncomingMessage } from 'node:http'

import { HubError } from '@herma/contract'

/** Reads a JSON body within a limit; returns undefined when the request has none. */
export async function readJsonBody(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': encoding } = request.headers
  if (chunked === undefined && (length === undefined || length === '0')) return undefined
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HubError('UNSUPPORTED_MEDIA_TYPE', `Content-Encoding '${encoding}' is not supported. Send plain JSON.`)
  }
  requireJson(request.headers['content-type'])
  return parse(await readText(request, limitBytes))
}

function requireJson(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (type !== 'application/json' && !/^application\/[^/\s]+\+json$/.test(type)) {
    const given = type === '' ? 'no Content-Type' : `'${type}'`
    throw new HubError('UNSUPPORTED_MEDIA_TYPE', `The body has ${given}. Send it with Content-Type: application/json.`)
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  if (charset !== undefined && charset.replaceAll('"', '') !== 'utf-8') {
    throw new HubError('UNSUPPORTED_MEDIA_TYPE', `Charset '${charset}' is not supported. Send the body as UTF-8.`)
  }
}

// A body beyond the limit is read on but not kept, so that an ordinary client, which writes first and reads then,
// sees the answer instead of a reset connection. Past this many times the limit it is cut off all the same.
const patience = 16

async function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  const tooLarge = () =>
    new HubError('BODY_TOO_LARGE', `The body is larger than ${limitBytes} bytes. Send less, or in several requests.`)
  if (Number(request.headers['content-length'] ?? 0) > limitBytes * patience) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes * patience) throw tooLarge()
    if (size > limitBytes) chunks.length = 0
    else chunks.push(chunk)
  }
  if (size > limitBytes) throw tooLarge()
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    const hint = /^\s*\[+[\w."'-]+\]+\s*$/m.test(text) ? ' It looks like TOML: convert it to JSON first.' : ''
    // The parser's message quotes the text, which may hold a secret, so only the position is repeated.
    const position = /position \d+/.exec(String(cause))?.[0]
    throw new HubError('PARSE_ERROR', `The body is not JSON${position === undefined ? '' : ` (${position})`}.${hint}`)
  }
}

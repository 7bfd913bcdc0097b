import type { IncomingMessage } from 'node:http'

import { HubError } from '@herma/contract'
import { readTextBody } from './read-text-body.ts'

/** Reads a JSON body within a limit; returns undefined when the request has none. */
export async function readJsonBody(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': encoding } = request.headers
  if (chunked === undefined && (length === undefined || length === '0')) return undefined
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new HubError('UNSUPPORTED_MEDIA_TYPE', `Content-Encoding '${encoding}' is not supported. Send plain JSON.`)
  }
  requireJson(request.headers['content-type'])
  return parse(await readTextBody(request, limitBytes))
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

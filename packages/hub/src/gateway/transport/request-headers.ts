import type { IncomingHttpHeaders } from 'node:http'
import { HubError } from '@herma/contract'

/** Bodies are JSON. A page of another site cannot send that type without asking first, which is part of the defence. */
export function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (type === 'application/json') return
  if (type !== undefined && /^application\/json\s*(;|$)/i.test(type)) return
  throw new HubError('UNSUPPORTED_MEDIA_TYPE', 'Unsupported Media Type: Content-Type must be application/json.')
}

/** A client must be ready for a single answer and for a stream; only what it says otherwise is refused. */
export function requireAccept(headers: IncomingHttpHeaders): void {
  const { accept } = headers
  if (accept === undefined || accept === 'application/json, text/event-stream') return
  if (accepts(accept, 'application/json') && accepts(accept, 'text/event-stream')) return
  throw new HubError('NOT_ACCEPTABLE', 'Not Acceptable: Accept must list application/json and text/event-stream.')
}

/** A client of plain JSON-RPC gets one JSON object. */
export function requireAcceptJson({ accept }: IncomingHttpHeaders): void {
  if (accept === undefined || accepts(accept, 'application/json')) return
  throw new HubError('NOT_ACCEPTABLE', 'Not Acceptable: Accept must list application/json.')
}

function accepts(accept: string, type: string): boolean {
  const [family] = type.split('/')
  return accept.split(',').some((range) => {
    const name = range.split(';')[0]!.trim().toLowerCase()
    return name === type || name === '*/*' || name === `${family}/*`
  })
}

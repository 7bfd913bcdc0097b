import type { IncomingMessage } from 'node:http'
import { HubError } from '@herma/contract'

// A body beyond the limit is read on but not kept, so that an ordinary client, which writes first and reads then,
// sees the answer instead of a reset connection. Past this many times the limit it is cut off all the same.
const patience = 16

/** Reads a body within a limit. */
export async function readTextBody(request: IncomingMessage, limitBytes: number): Promise<string> {
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

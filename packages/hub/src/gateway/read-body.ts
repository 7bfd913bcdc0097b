import type { IncomingMessage } from 'node:http'
import { HubError } from '@herma/contract'

// A body beyond the limit is read on but not kept, so that an ordinary client, which writes first and reads then, sees
// the answer instead of a reset connection. Past this many times the limit it is cut off all the same.
const patience = 16

/** Reads a whole body. Calls back once, and not at all when the client leaves before the end. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (error: HubError | null, body: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let isOver = false
  const refuse = () => {
    isOver = true
    chunks.length = 0
    done(new HubError('BODY_TOO_LARGE', `The body is larger than ${limit} bytes.`), Buffer.alloc(0))
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) refuse()
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit * patience) return void request.destroy()
    if (isOver) return
    if (size > limit) return refuse()
    chunks.push(chunk)
  })
  request.on('end', () => {
    if (!isOver) done(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  })
}

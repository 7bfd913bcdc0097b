import type { IncomingMessage } from 'node:http'
import { HubError } from '@herma/contract'

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
    request.resume()
    done(new HubError('BODY_TOO_LARGE', `The body is larger than ${limit} bytes.`), Buffer.alloc(0))
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) return refuse()
  request.on('data', (chunk: Buffer) => {
    if (isOver) return
    size += chunk.length
    if (size > limit) return refuse()
    chunks.push(chunk)
  })
  request.on('end', () => {
    if (!isOver) done(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  })
}

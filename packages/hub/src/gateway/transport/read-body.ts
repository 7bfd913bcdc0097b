import type { IncomingMessage } from 'node:http'
import { HubError } from '@herma/contract'
import { freeBytes, type BufferBudget, type Reservation } from '@herma/framework/wire'
import { FastRequest, type HttpRequest } from '../../platform/fast-http/index.ts'
import { decoderFor } from './decompress.ts'

// A body beyond the limit is read on but not kept, so that an ordinary client, which writes first and reads then, sees
// the answer instead of a reset connection. Past this many times the limit it is cut off all the same.
const patience = 16

type Done = (error: HubError | null, body: Buffer) => void

/**
 * Reads a whole body, unpacked where it is compressed. Calls back once, and not at all when the client leaves before the
 * end.
 */
export function readRequestBody(
  request: HttpRequest,
  { limit, buffers }: { readonly limit: number; readonly buffers: BufferBudget },
  done: Done,
): void {
  if (request instanceof FastRequest) {
    const isTooLarge = request.body.length > limit
    return done(isTooLarge ? tooLarge(limit) : null, isTooLarge ? Buffer.alloc(0) : request.body)
  }
  if (request.headers['content-encoding'] !== undefined) return readCompressed(request, limit, done)
  let reservation: Reservation | null = null
  const chunks: Buffer[] = []
  let size = 0
  let isOver = false
  const refuse = () => {
    isOver = true
    chunks.length = 0
    done(tooLarge(limit), Buffer.alloc(0))
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) refuse()
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit * patience) return void request.destroy()
    if (isOver) return
    if (size > limit) return refuse()
    chunks.push(chunk)
    if (size <= freeBytes) return
    if (reservation === null) {
      reservation = buffers.reserve(() => request.resume())
      request.once('close', () => reservation!.close())
    }
    if (!reservation.take(size - reservation.bytes)) request.pause()
  })
  request.on('end', () => {
    reservation?.close()
    if (!isOver) done(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  })
}

/** The limit is that of what comes out, and unpacking ends there: a small body may hold a very large one. */
function readCompressed(request: IncomingMessage, limit: number, done: Done): void {
  const chunks: Buffer[] = []
  let [received, size, isOver] = [0, 0, false]
  const end = (error: HubError | null) => {
    if (isOver) return
    isOver = true
    done(error, error === null ? Buffer.concat(chunks) : Buffer.alloc(0))
    chunks.length = 0
  }
  let decoder: ReturnType<typeof decoderFor>
  try {
    decoder = decoderFor(request.headers['content-encoding'])
  } catch (error) {
    request.resume()
    return end(error as HubError)
  }
  const source = decoder === null ? request : request.pipe(decoder)
  const giveUp = (error: HubError) => {
    end(error)
    if (decoder !== null) request.unpipe(decoder)
    decoder?.destroy()
    request.resume()
  }
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > limit * patience) request.destroy()
  })
  // A client that leaves ends nothing by itself.
  request.on('close', () => {
    if (!request.complete) decoder?.destroy()
  })
  source.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (isOver) return
    if (size > limit) giveUp(tooLarge(limit))
    else chunks.push(chunk)
  })
  source.on('end', () => end(null))
  decoder?.on('error', (error: Error) => {
    const text = `The body is cut short, or not compressed as its Content-Encoding says: ${error.message}.`
    giveUp(new HubError('PARSE_ERROR', text, { cause: error }))
  })
}

function tooLarge(limit: number): HubError {
  return new HubError('BODY_TOO_LARGE', `The body is larger than ${limit} bytes.`)
}

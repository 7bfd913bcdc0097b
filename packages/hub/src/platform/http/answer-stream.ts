import type { ServerResponse } from 'node:http'

/** Server-sent events towards one client of the management API. */
export interface AnswerStream {
  /** False when the client reads too slowly to take the event; it was not sent then. */
  send(name: string, data: unknown): boolean
  /** Nothing more will come. */
  end(): void
}

/** Begins to send and returns what stops it. It may throw before it has sent anything. */
export type StartStream = (stream: AnswerStream) => () => void

const maxUnreadBytes = 1_048_576
/** Proxies and clients give up on a silent stream after 30 s or more. */
const keepAliveMs = 15_000
/** Clients come back by themselves, and are asked again who they are. */
const maxStreamMs = 15 * 60_000

/** Answers with a stream that lasts until either side ends it. */
export function answerStream(response: ServerResponse, start: StartStream): void {
  // A client that left while it was looked up would never close again, and the stream would never stop.
  if (response.destroyed) return
  const begin = () => {
    if (!response.headersSent) response.writeHead(200, streamHeaders)
  }
  const stop = start({
    send(name, data) {
      if (response.writableEnded || response.writableLength > maxUnreadBytes) return false
      begin()
      response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      return true
    },
    end() {
      begin()
      response.end()
    },
  })
  begin()
  response.flushHeaders()
  const keepAlive = setInterval(() => {
    if (!response.writableEnded) response.write(':\n\n')
  }, keepAliveMs).unref()
  const end = setTimeout(() => response.end(), maxStreamMs).unref()
  response.once('close', () => {
    clearInterval(keepAlive)
    clearTimeout(end)
    stop()
  })
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Otherwise nginx would hold events back until its buffer is full.
  'x-accel-buffering': 'no',
}

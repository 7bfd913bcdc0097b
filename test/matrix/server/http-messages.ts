import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WireMessage } from '../wire-message.ts'

const maxBodyBytes = 4 * 1024 * 1024

export interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

/** Listens on a free port of this machine only. */
export async function listen(path: string, listener: RequestListener): Promise<RunningServer> {
  const http = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(0, '127.0.0.1', resolve)
  })
  const stop = async () => {
    const closed = new Promise((resolve) => http.close(resolve))
    http.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`, stop }
}

/** The body as JSON; undefined when it is none. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) return undefined
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  message: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(message))
}

export function openEvents(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers })
  response.flushHeaders()
}

/** A client that is gone gets nothing more. */
export function sendEvent(
  response: ServerResponse,
  message: WireMessage | readonly WireMessage[] | string,
  event?: string,
): void {
  if (response.writableEnded || response.destroyed) return
  const data = typeof message === 'string' ? message : JSON.stringify(message)
  response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`)
}

export function refuse(response: ServerResponse, status: number, code: number, message: string, data?: unknown): void {
  sendJson(response, status, {
    jsonrpc: '2.0',
    id: null,
    error: { code, message, ...(data !== undefined && { data }) },
  })
}

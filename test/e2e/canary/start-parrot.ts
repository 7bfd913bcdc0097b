import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
// @ts-expect-error It is a plain module, so that a bare Node runs it too.
import { answer } from './parrot.mjs'

type Send = (message: object) => void
const answerMessage = answer as (message: unknown, heard: readonly string[], send: Send) => void

export interface Parrot extends AsyncDisposable {
  readonly url: string
  /** Everything secret that it was told. */
  readonly heard: ReadonlySet<string>
}

/** The parrot over HTTP: `/stream` and `/http` answer at once, `/sse` on a stream, everything else with an error. */
export async function startParrot(): Promise<Parrot> {
  const heard = new Set<string>()
  const streams = new Map<string, ServerResponse>()
  const server = createServer((request, response) => {
    void serve(request, response, { heard, streams }).catch((error: unknown) => response.destroy(error as Error))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Nest {
  readonly heard: Set<string>
  readonly streams: Map<string, ServerResponse>
}

async function serve(request: IncomingMessage, response: ServerResponse, { heard, streams }: Nest): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const body = await text(request)
  const told = secretsOf(request, url, body)
  for (const secret of told) heard.add(secret)
  if (request.method === 'GET' && url.pathname === '/sse') {
    const id = String(streams.size)
    streams.set(id, response)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return void response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`)
  }
  const isKnown = ['/stream', '/http', '/messages'].includes(url.pathname)
  if (request.method !== 'POST' || !isKnown) return refuse(response, told)
  const messages: object[] = []
  answerMessage(JSON.parse(body), told, (message) => messages.push({ jsonrpc: '2.0', ...message }))
  if (url.pathname === '/messages') {
    for (const message of messages) streams.get(url.searchParams.get('id')!)?.write(eventOf(message))
    return void response.writeHead(202).end()
  }
  if (messages.length === 0) return void response.writeHead(202).end()
  const isStream = url.pathname === '/stream' && messages.length > 1
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end(isStream ? messages.map(eventOf).join('') : JSON.stringify(messages.at(-1)))
}

/** Servers repeat what they were sent in their errors. */
function refuse(response: ServerResponse, told: readonly string[]): void {
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: 'invalid_client', error_description: `refused: ${told.join(' ')}` }))
}

function eventOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}

function secretsOf({ headers }: IncomingMessage, { searchParams }: URL, body: string): string[] {
  const { authorization = '' } = headers
  const basic = /^basic (.*)$/i.exec(authorization)?.[1]
  const form = new URLSearchParams(body)
  return [
    basic === undefined
      ? authorization.replace(/^bearer /i, '')
      : decodeURIComponent(Buffer.from(basic, 'base64').toString().split(':')[1] ?? ''),
    String(headers['x-api-key'] ?? ''),
    searchParams.get('key') ?? '',
    form.get('client_secret') ?? '',
  ].filter((secret) => secret !== '')
}

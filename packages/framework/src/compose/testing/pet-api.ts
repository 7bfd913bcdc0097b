import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = (request: Received, response: ServerResponse) => void

/** A real HTTP API that keeps what it received and answers by path. */
export async function startPetApi(answers: Record<string, Answer> = {}) {
  const received: Received[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    received.push(seen)
    const answer = answers[seen.url.split('?')[0]!] ?? json({ path: seen.url })
    answer(seen, response)
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function json(value: unknown, status = 200): Answer {
  return (_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

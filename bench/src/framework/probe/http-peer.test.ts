import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { HttpPeer } from './http-peer.ts'

async function withServer<Result>(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  work: (peer: HttpPeer) => Promise<Result>,
): Promise<Result> {
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => answer(request, response, Buffer.concat(chunks as Buffer[]).toString()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const peer = new HttpPeer(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  try {
    return await work(peer)
  } finally {
    peer.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const stream = { 'content-type': 'text/event-stream' }

test('reads messages and event ids of a stream that is cut anywhere', () =>
  withServer(
    (_, response) => {
      response.writeHead(200, stream)
      const text =
        'id: 7\nevent: message\ndata: {"jsonrpc":"2.0","method":"a"}\n\nid: 8\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
      response.write(text.slice(0, 20))
      setImmediate(() => response.end(text.slice(20)))
    },
    async (peer) => {
      const { exchange } = peer.start('tools/call', {})
      expect(await exchange.find(({ id }) => id === 1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
      expect(exchange.messages).toHaveLength(2)
      expect(exchange.eventIds).toEqual(['7', '8'])
    },
  ))

test('keeps the session and the revision of its initialize, and finds the answers of a batch', () =>
  withServer(
    (request, response, body) => {
      const message = JSON.parse(body) as { id?: number; method?: string }
      if (message.method === 'initialize') {
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2025-03-26' } }))
      } else if (message.method === 'notifications/initialized') {
        response.writeHead(202).end()
      } else {
        const seen = [request.headers['mcp-session-id'], request.headers['mcp-protocol-version']]
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify([{ jsonrpc: '2.0', id: 'b', result: { seen } }]))
      }
    },
    async (peer) => {
      expect(await peer.initialize('2025-11-25')).toBe('2025-03-26')
      const { result } = await peer.post([{ jsonrpc: '2.0', id: 'b', method: 'ping' }]).find(({ id }) => id === 'b')
      expect(result).toEqual({ seen: ['s1', '2025-03-26'] })
    },
  ))

test('a stream that ends without the message says what came instead', () =>
  withServer(
    (_, response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":null}'),
    async (peer) => {
      await expect(peer.request('ping', {})).rejects.toThrow(/no such message came, but \[{"jsonrpc":"2.0","id":null}]/)
    },
  ))

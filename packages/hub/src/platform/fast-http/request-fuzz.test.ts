import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FastListener } from './fast-listener.ts'
import type { FastResponse } from './fast-response.ts'
import { createRandom, mutateMessage, splitMessage } from './testing/mutate-message.ts'
import { PipeSocket } from './testing/pipe-socket.ts'

/** `HERMA_FUZZ=200000` for the long run. */
const count = Number(process.env['HERMA_FUZZ'] ?? 20_000)
const seed = Number(process.env['HERMA_FUZZ_SEED'] ?? 18)

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Null while it is not whole. */
  body: string | null
}

interface Side {
  readonly server: Server
  readonly seen: Map<PipeSocket, Seen[]>
}

const keepAliveMs = 65_000
const refusal = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'

/** A server that answers every request at once and remembers it; with what the hub puts in front, or without. */
function startSide(isFast: boolean): Side & { takenFast: number } {
  const side = { seen: new Map<PipeSocket, Seen[]>(), takenFast: 0, server: null as unknown as Server }
  const begin = (socket: unknown, request: Seen) => {
    side.seen.get(socket as PipeSocket)!.push(request)
    return request
  }
  const answer = (response: Pick<ServerResponse | FastResponse, 'writeHead' | 'end'>) => {
    response.writeHead(200, ['Content-Type', 'text/plain', 'Content-Length', '2'])
    response.end('ok')
  }
  const options = { keepAliveTimeout: keepAliveMs, requireHostHeader: true, joinDuplicateHeaders: true }
  side.server = createServer(options, (request, response) => {
    const chunks: Buffer[] = []
    const { method = '', url = '', headers, socket } = request
    const seen = begin(socket, { method, url, headers, body: null })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.body = Buffer.concat(chunks).toString('latin1')
      answer(response)
    })
  })
  side.server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end(refusal)
  })
  if (isFast) {
    const listener = new FastListener(side.server, {
      keepAliveMs,
      silenceMs: 120_000,
      handler: {
        takes: (path) => path === '/mcp',
        handle: (request, response) => {
          side.takenFast++
          const { method, url, headers, body, socket } = request
          begin(socket, { method, url, headers, body: body.toString('latin1') })
          answer(response)
        },
      },
    })
    onTestFinished(() => listener.closeAll())
  }
  return side
}

function send(side: Side, pieces: readonly Buffer[]): PipeSocket {
  const socket = new PipeSocket()
  side.seen.set(socket, [])
  side.server.emit('connection', socket)
  socket.on('error', () => undefined)
  void (async () => {
    for (const piece of pieces) {
      if (!socket.destroyed) socket.push(piece)
      await turn()
    }
    if (!socket.destroyed) socket.push(null)
  })()
  return socket
}

const random = createRandom(seed)

function ordinaryRequest(): string {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'.slice(0, random(41))
  const lines = [
    `${random(12) === 0 ? ['GET', 'PUT', 'post', 'DELETE'][random(4)] : 'POST'} ${['/mcp', '/mcp', '/mcp', '/mcp?a=1', '/', 'http://h/mcp', '/m%63p'][random(7)]} HTTP/1.1`,
    'Host: 127.0.0.1:4376',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...(random(2) === 0 ? ['Mcp-Session-Id: abc.def'] : []),
    ...(random(3) === 0 ? ['Connection: keep-alive'] : []),
    `Content-Length: ${body.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

const toHead = ({ method, url, headers }: Seen) => ({ method, url, headers })
const withoutDate = (text: string) => text.replaceAll(/Date: [^\r]*\r\n/g, '')

test(
  `${count} mutated requests mean to the fast reader what they mean to node:http`,
  async () => {
    const [plain, fast] = [startSide(false), startSide(true)]
    for (let done = 0; done < count;) {
      const batch: { text: string; sockets: [PipeSocket, PipeSocket] }[] = []
      let longest = 0
      for (let each = 0; each < 200; each++, done++) {
        const text = mutateMessage(ordinaryRequest(), random, ordinaryRequest)
        const pieces = splitMessage(text, random)
        longest = Math.max(longest, pieces.length)
        batch.push({ text, sockets: [send(plain, pieces), send(fast, pieces)] })
      }
      for (let turns = 0; turns < longest + 20; turns++) await turn()
      for (const { text, sockets } of batch) {
        const [expected, got] = sockets
        const shown = JSON.stringify(text)
        // What is read of a body, and which answers leave, before a refusal is a matter of moments.
        const isRefused = expected.written.endsWith(refusal)
        const [wanted, seen] = [plain.seen.get(expected)!, fast.seen.get(got)!]
        const asRefused = (requests: readonly Seen[]) => requests.slice(0, seen.length).map(toHead)
        expect(isRefused ? asRefused(seen) : seen, shown).toEqual(isRefused ? asRefused(wanted) : wanted)
        const written = ({ written: all }: PipeSocket) => (isRefused ? all.slice(-refusal.length) : withoutDate(all))
        expect(written(got), shown).toEqual(written(expected))
        for (const socket of sockets) socket.destroy()
      }
      plain.seen.clear()
      fast.seen.clear()
    }
    // Or nothing was compared.
    expect(fast.takenFast).toBeGreaterThan(count / 10)
  },
  count * 10 + 60_000,
)

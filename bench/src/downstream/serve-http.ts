import { randomUUID } from 'node:crypto'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { HttpReader, type HttpMessage } from '../wire/http-reader.ts'
import type { Era } from '../target/target.ts'
import { MODERN_REVISION, type RpcMessage } from '../wire/protocol.ts'
import { errorAnswer, isModern, makeAnswerer, type Answer } from './answer-message.ts'

export interface HttpServing {
  /** The only era that it speaks; null = both on one URL. */
  era?: Era | null
  /** Whether answers come as an event stream. */
  streams?: boolean
}

/** Serves a test MCP server over Streamable HTTP on a free loopback port. */
export async function serveHttp(
  toolCount: number,
  { era = null, streams = false }: HttpServing = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const answerMessage = makeAnswerer(toolCount)
  const sessions = new Set<string>()
  const sockets = new Set<Socket>()

  const server = createServer((socket) => {
    socket.setNoDelay(true)
    sockets.add(socket)
    const reader = new HttpReader('request', (request) => respond(socket, request))
    socket.on('data', (chunk: Buffer) => reader.push(chunk))
    socket.on('close', () => sockets.delete(socket))
    // A client that resets its connection is done with it; 'close' follows.
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }

  function respond(socket: Socket, request: HttpMessage): void {
    if (request.startLine.startsWith('DELETE ')) {
      return write(socket, sessions.delete(request.header('mcp-session-id') ?? '') ? 200 : 404, [])
    }
    if (!request.startLine.startsWith('POST ')) return write(socket, 405, [], 'Allow: POST, DELETE\r\n')
    let message: RpcMessage
    try {
      message = JSON.parse(request.body.toString()) as RpcMessage
    } catch {
      return write(socket, 400, errorAnswer(null, -32700, 'Parse error'))
    }
    if (isModern(message) && era !== 'legacy') return respondModern(socket, request, message)
    if (era === 'modern') return write(socket, 400, unsupported(message))
    let extra = ''
    if (message.method === 'initialize') {
      const session = randomUUID()
      sessions.add(session)
      extra = `Mcp-Session-Id: ${session}\r\n`
    } else if (request.header('mcp-session-id') === undefined) {
      return write(socket, 400, errorAnswer(message.id ?? null, -32000, 'Bad Request: initialize first'))
    } else if (!sessions.has(request.header('mcp-session-id') ?? '')) {
      return write(socket, 404, errorAnswer(message.id ?? null, -32001, 'Session not found'))
    }
    send(socket, answerMessage(message), extra)
  }

  function respondModern(socket: Socket, request: HttpMessage, message: RpcMessage): void {
    const id = message.id ?? null
    // Checked here so that a gateway which forgets the headers fails the run instead of looking fast.
    if (request.header('mcp-protocol-version') !== MODERN_REVISION) {
      return write(socket, 400, errorAnswer(id, -32020, 'Header mismatch: MCP-Protocol-Version'))
    }
    if (request.header('mcp-method') !== message.method) {
      return write(socket, 400, errorAnswer(id, -32020, 'Header mismatch: Mcp-Method'))
    }
    if (message.method === 'tools/call' && request.header('mcp-name') !== message.params?.name) {
      return write(socket, 400, errorAnswer(id, -32020, 'Header mismatch: Mcp-Name'))
    }
    send(socket, answerMessage(message))
  }

  function send(socket: Socket, answer: Answer, extra = ''): void {
    if (answer !== null && streams) writeStream(socket, answer, extra)
    else write(socket, answer ? 200 : 202, answer, extra)
  }
}

const unsupported = ({ id }: RpcMessage): Answer => [
  `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"error":{"code":-32022,"message":"Unsupported protocol version",` +
    `"data":{"supported":["${MODERN_REVISION}"],"requested":""}}}`,
]

/** One event in one chunk, and the end of the stream. */
function writeStream(socket: Socket, answer: (string | Buffer)[], extra: string): void {
  const pieces = ['event: message\ndata: ', ...answer, '\n\n']
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  socket.cork()
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${extra}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`,
  )
  for (const piece of pieces) socket.write(piece)
  socket.write('\r\n0\r\n\r\n')
  socket.uncork()
}

const REASONS: Record<number, string> = {
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
}

function write(socket: Socket, status: number, answer: Answer, extra = ''): void {
  const pieces = answer ?? []
  let length = 0
  for (const piece of pieces) length += Buffer.byteLength(piece)
  const type = length > 0 ? 'Content-Type: application/json\r\n' : ''
  const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\n${type}${extra}Content-Length: ${length}\r\n\r\n`
  // One string is one system call, which is most of what a small answer costs.
  if (pieces.every((piece) => typeof piece === 'string')) {
    socket.write(head + pieces.join(''))
    return
  }
  socket.cork()
  socket.write(head)
  for (const piece of pieces) socket.write(piece)
  socket.uncork()
}

import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { metaKeys, modernRevision } from '../../packages/hub/src/wire/index.ts'
import { WireClient } from '../e2e/wire-client.ts'

/** A client that has asked for something and reads nothing of it. */
export interface SlowReader {
  close(): void
}

export type ReaderKind = 'modern' | 'legacy' | 'sse'

/** Asks for an answer of so many bytes, and never reads it. */
export async function openSlowReader(
  kind: ReaderKind,
  url: string,
  call: object,
  headers: Record<string, string> = {},
): Promise<SlowReader> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  // The hub may cut it off.
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (kind === 'modern') post(socket, '/mcp', modernCall(call), { ...headers, ...modernHeaders(call) })
  else if (kind === 'legacy') {
    const { id } = await WireClient.connect(new URL('/mcp', url))
    post(socket, '/mcp', { jsonrpc: '2.0', id: 7, method: 'tools/call', params: call }, { 'mcp-session-id': id })
  } else await listenAndAsk(socket, url, call)
  return { close: () => void socket.destroy() }
}

function modernCall(call: object): object {
  const _meta = { [metaKeys.revision]: modernRevision, [metaKeys.clientCapabilities]: {} }
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { ...call, _meta } }
}

function modernHeaders(call: object): Record<string, string> {
  const { name } = call as { name: string }
  return { 'mcp-protocol-version': modernRevision, 'mcp-method': 'tools/call', 'mcp-name': name }
}

function post(socket: Socket, path: string, message: object, more: Record<string, string>): void {
  const body = JSON.stringify(message)
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...more,
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
}

/** HTTP+SSE: everything comes on one stream, of which no more is read than where to post. */
async function listenAndAsk(socket: Socket, url: string, call: object): Promise<void> {
  socket.write('GET /sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n')
  const send = async (place: string, message: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(new URL(place, url), { method: 'POST', headers, body: JSON.stringify(message) })
    if (response.status !== 202) throw new Error(`HTTP+SSE: ${response.status} ${await response.text()}`)
    await response.text()
  }
  const place = await readUntil(socket, /data: (\S+sessionId=\S+)/)
  const clientInfo = { name: 'slow', version: '1' }
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
  const introduced = readUntil(socket, /"serverInfo"/)
  await send(place, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  await introduced
  await send(place, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: call })
}

/** Reads until the pattern is found, and not a byte more after that. */
function readUntil(socket: Socket, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const found = pattern.exec(text)
      if (found === null) return
      socket.off('data', onData)
      socket.pause()
      resolve(found[1] ?? found[0])
    }
    socket.on('data', onData)
    socket.resume()
  })
}

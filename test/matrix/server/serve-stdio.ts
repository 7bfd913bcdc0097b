import { createInterface } from 'node:readline'
import { isModern } from '../revision.ts'
import type { RequestId, WireMessage } from '../wire-message.ts'
import { LegacySession, type ResponseSink } from './legacy-session.ts'
import { ModernServer } from './modern-server.ts'
import type { World } from './world.ts'

/** Serves one client over standard input and output until its input ends. */
export function serveStdio(world: World): void {
  const sink: ResponseSink = { send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`) }
  const receive = isModern(world.revision) ? modernReceiver(world, sink) : legacyReceiver(world, sink)
  createInterface({ input: process.stdin }).on('line', (line) => {
    try {
      receive(JSON.parse(line))
    } catch {
      sink.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Not JSON.' } })
    }
  })
  process.stdin.on('end', () => process.exit(0))
}

function legacyReceiver(world: World, sink: ResponseSink): (value: unknown) => void {
  const session = new LegacySession(world, sink)
  return (value) => void session.receive(value, sink)
}

function modernReceiver(world: World, sink: ResponseSink): (value: unknown) => void {
  const server = new ModernServer(world)
  const running = new Map<RequestId, AbortController>()
  return (value) => {
    const { id, method, params } = (Array.isArray(value) ? {} : value) as WireMessage
    if (method === 'notifications/cancelled') return running.get(params?.['requestId'] as RequestId)?.abort()
    if (method === undefined || id === undefined || id === null) {
      // A client of this revision sends no responses, and a batch is no message.
      if (method === undefined) {
        sink.send({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Not a request.' } })
      }
      return
    }
    const controller = new AbortController()
    running.set(id, controller)
    void server.answer(value as WireMessage, sink, controller.signal).then((response) => {
      running.delete(id)
      if (response !== null) sink.send(response)
    })
  }
}

import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { listen, openEvents, readJson, refuse, sendEvent, type RunningServer } from './http-messages.ts'
import { LegacySession, type ResponseSink } from './legacy-session.ts'
import type { World } from './world.ts'

/** HTTP+SSE of 2024-11-05: one event stream down, posts up. */
export function serveSse(world: World): Promise<RunningServer> {
  const sessions = new Map<string, { session: LegacySession; sink: ResponseSink }>()

  function open(response: ServerResponse): void {
    const id = randomUUID()
    openEvents(response)
    const sink: ResponseSink = { send: (message) => sendEvent(response, message, 'message') }
    const session = new LegacySession(world, sink)
    sessions.set(id, { session, sink })
    response.on('close', () => {
      sessions.delete(id)
      session.close()
    })
    sendEvent(response, `/messages?session=${id}`, 'endpoint')
  }

  return listen('/sse', (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method === 'GET' && url.pathname === '/sse') return open(response)
    const found = sessions.get(url.searchParams.get('session') ?? '')
    if (request.method !== 'POST' || url.pathname !== '/messages' || found === undefined) {
      return refuse(response, 404, -32000, 'There is no such session.')
    }
    void readJson(request).then((value) => {
      if (value === undefined) return refuse(response, 400, -32700, 'Not JSON.')
      response.writeHead(202).end('Accepted')
      void found.session.receive(value, found.sink)
    })
  })
}

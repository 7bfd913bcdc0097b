import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { buildServer } from './build-server.ts'
import { buildTasksServer } from './build-tasks-server.ts'
import { serveEras, type ServedEras } from './serve-eras.ts'
import { createTaskBoard } from './task-board.ts'
import { createWorld } from './world.ts'

export type { ServedEras } from './serve-eras.ts'

/** Serves everything the scenarios ask for at `/mcp`, and the tasks extension at `/tasks`, on loopback only. */
export async function startServer({ port, era }: { port: number; era: ServedEras }) {
  const world = createWorld()
  const board = createTaskBoard()
  const everything = serveEras((context) => buildServer(world, context.era), { era, bus: world.bus })
  const tasks = serveEras(() => buildTasksServer(board), { era })
  const handlers = new Map([
    ['/mcp', toNodeHandler(everything)],
    ['/tasks', toNodeHandler(tasks)],
  ])

  const isHostAllowed = localhostHostValidation()
  const isOriginAllowed = localhostOriginValidation()
  const http = createServer((request, response) => {
    if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return
    const handler = handlers.get(new URL(request.url ?? '/', 'http://localhost').pathname)
    if (handler) void handler(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, '127.0.0.1', resolve)
  })

  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    tasksUrl: `${origin}/tasks`,
    async stop() {
      const closed = new Promise((resolve) => http.close(resolve))
      board.close()
      await Promise.all([everything.close(), tasks.close()])
      http.closeAllConnections()
      await closed
    },
  }
}

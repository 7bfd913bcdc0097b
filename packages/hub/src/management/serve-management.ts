import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpApp } from '@herma/framework'
import type { ManagedHub } from './create-management-server.ts'

export interface ManagementEndpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  stop(): Promise<void>
}

/** Serves the hub to agents. The framework and the SDK under it are read when the first one comes: most hubs never need them. */
export function serveManagement(hub: ManagedHub, path: string): ManagementEndpoint {
  let serving: Promise<HttpApp> | undefined
  const begin = async () => {
    const { createManagementServer } = await import('./create-management-server.ts')
    return createManagementServer(hub).http({ path })
  }
  return {
    handle: async (request, response) => (await (serving ??= begin())).node(request, response),
    stop: async () => (await serving)?.close(),
  }
}

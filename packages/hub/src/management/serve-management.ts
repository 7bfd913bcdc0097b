import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@herma/contract'
import type { HttpApp } from '@herma/framework'
import type { Auth } from '@herma/framework/auth'
import type { ManagedHub } from './create-management-server.ts'

export interface ManagementEndpoint {
  /** `principal` is whoever was let in; what one of them begins is out of reach for the others. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>
  stop(): Promise<void>
}

/** Serves the hub to agents. The framework and the SDK under it are read when the first one comes: most hubs never need them. */
export function serveManagement(hub: ManagedHub, path: string): ManagementEndpoint {
  let serving: Promise<HttpApp> | undefined
  const visitors = new AsyncLocalStorage<Principal>()
  const begin = async () => {
    const { createManagementServer } = await import('./create-management-server.ts')
    return createManagementServer(hub).http({ path, auth: knownAlready(visitors) })
  }
  return {
    handle: async (request, response, principal) => {
      const app = await (serving ??= begin())
      await visitors.run(principal, () => app.node(request, response))
    },
    stop: async () => (await serving)?.close(),
  }
}

/** Whoever comes here has been let in; the framework only has to know who it is, to keep connections apart. */
function knownAlready(visitors: AsyncLocalStorage<Principal>): Auth {
  return {
    authenticate: () => {
      const visitor = visitors.getStore()
      return visitor === undefined ? { refused } : { principal: { id: visitor.id, scopes: [], claims: { visitor } } }
    },
    challenge: () => refused,
  }
}

const refused = { status: 403, headers: {} }

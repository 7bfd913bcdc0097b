import { ServerInput, ServerPatch, ServerTestRequest, ServerView, TestReport, type Principal } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'

/** What a route needs of the served servers. */
export interface ServerService {
  list(): ServerView[]
  get(name: string): ServerView
  add(input: ServerInput): Promise<ServerView>
  update(name: string, patch: ServerPatch): Promise<ServerView>
  remove(name: string): Promise<void>
}

/** Tries a served server on behalf of who asks. */
export interface ServerTestService {
  test(name: string, principal: Principal, request: ServerTestRequest): Promise<TestReport>
}

const params = z.object({ name: z.string() })

export function serverRoutes(servers: ServerService, tests: ServerTestService): Route[] {
  return [
    defineRoute({
      id: 'testServer',
      method: 'POST',
      path: '/api/servers/:name/test',
      summary: 'Uses a served server as your client would, and calls a tool when one is named.',
      params,
      body: ServerTestRequest.optional(),
      responses: { 200: { description: 'Stages, cause and suggested fix; ok tells the outcome.', schema: TestReport } },
      handle: async ({ params: { name }, body, principal }) => ({
        status: 200,
        body: await tests.test(name, principal, body ?? {}),
      }),
    }),
    defineRoute({
      id: 'listServers',
      method: 'GET',
      path: '/api/servers',
      summary: 'The MCP servers that Herma serves.',
      responses: { 200: { description: 'The servers.', schema: z.object({ servers: z.array(ServerView) }) } },
      handle: () => ({ status: 200, body: { servers: servers.list() } }),
    }),
    defineRoute({
      id: 'getServer',
      method: 'GET',
      path: '/api/servers/:name',
      summary: 'One served server.',
      params,
      responses: { 200: { description: 'The server.', schema: ServerView } },
      handle: ({ params: { name } }) => ({ status: 200, body: servers.get(name) }),
    }),
    defineRoute({
      id: 'addServer',
      method: 'POST',
      path: '/api/servers',
      summary: 'Serve the catalog once more, with a view or mode of its own.',
      body: ServerInput,
      responses: { 201: { description: 'The server.', schema: ServerView } },
      handle: async ({ body }) => ({ status: 201, body: await servers.add(body) }),
    }),
    defineRoute({
      id: 'removeServer',
      method: 'DELETE',
      path: '/api/servers/:name',
      summary: 'Serve it no more. Clients that are connected are cut off.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name } }) => {
        await servers.remove(name)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'updateServer',
      method: 'PATCH',
      path: '/api/servers/:name',
      summary: 'Change a served server. Clients see it at once.',
      params,
      body: ServerPatch,
      responses: { 200: { description: 'The server.', schema: ServerView } },
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await servers.update(name, body) }),
    }),
  ]
}

import { z } from 'zod'

import { ServerTestRequest, TestReport } from '../hub.ts'
import { ServerInput, ServerPatch, ServerView } from '../server.ts'
import type { ApiOperation } from './operation.ts'

const params = z.object({ name: z.string() })

export const serverOperations = {
  testServer: {
    method: 'POST',
    path: '/api/servers/:name/test',
    summary: 'Uses a served server as your client would, and calls a tool when one is named.',
    params,
    body: ServerTestRequest.optional(),
    responses: { 200: { description: 'Stages, cause and suggested fix; ok tells the outcome.', schema: TestReport } },
  },
  listServers: {
    method: 'GET',
    path: '/api/servers',
    summary: 'The MCP servers that Herma serves.',
    responses: { 200: { description: 'The servers.', schema: z.object({ servers: z.array(ServerView) }) } },
  },
  getServer: {
    method: 'GET',
    path: '/api/servers/:name',
    summary: 'One served server.',
    params,
    responses: { 200: { description: 'The server.', schema: ServerView } },
  },
  addServer: {
    method: 'POST',
    path: '/api/servers',
    summary: 'Serve the catalog once more, with a view or mode of its own.',
    body: ServerInput,
    responses: { 201: { description: 'The server.', schema: ServerView } },
  },
  removeServer: {
    method: 'DELETE',
    path: '/api/servers/:name',
    summary: 'Serve it no more. Clients that are connected are cut off.',
    params,
    responses: { 204: { description: 'It is gone.' } },
  },
  updateServer: {
    method: 'PATCH',
    path: '/api/servers/:name',
    summary: 'Change a served server. Clients see it at once.',
    params,
    body: ServerPatch,
    responses: { 200: { description: 'The server.', schema: ServerView } },
  },
} as const satisfies Record<string, ApiOperation>

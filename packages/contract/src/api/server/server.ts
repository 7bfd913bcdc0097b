import { z } from 'zod'

import { ServerTestRequest, TestReport } from '../../hub.ts'
import { ServerInput, ServerPatch, ServerView } from '../../server/server.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ name: z.string() })

export const serverOperations = {
  testServer: {
    method: 'POST',
    path: '/api/servers/:name/test',
    summary: 'Uses a served server as your client would, and calls a tool when one is named.',
    params,
    body: ServerTestRequest.optional(),
    responses: { 200: { description: 'Stages, cause and suggested fix; ok tells the outcome.', schema: TestReport } },
    errors: ['SERVER_NOT_FOUND'],
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
    errors: ['SERVER_NOT_FOUND'],
  },
  addServer: {
    method: 'POST',
    path: '/api/servers',
    summary: 'Serve the catalog once more, with a view or mode of its own.',
    body: ServerInput,
    responses: { 201: { description: 'The server.', schema: ServerView } },
    errors: ['SERVER_EXISTS', 'SERVER_INVALID', 'CONNECTOR_NOT_FOUND'],
  },
  removeServer: {
    method: 'DELETE',
    path: '/api/servers/:name',
    summary: 'Serve it no more. Clients that are connected are cut off.',
    params,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['SERVER_NOT_FOUND', 'SERVER_INVALID'],
  },
  updateServer: {
    method: 'PATCH',
    path: '/api/servers/:name',
    summary: 'Change a served server. Clients see it at once.',
    params,
    body: ServerPatch,
    responses: { 200: { description: 'The server.', schema: ServerView } },
    errors: ['SERVER_NOT_FOUND', 'SERVER_INVALID'],
  },
} as const satisfies Record<string, ApiOperation>

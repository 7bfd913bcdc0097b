import { z } from 'zod'

import { defineRoute, type Route } from '../platform/http/index.ts'
import { type ConnectorAdder, ImportAnswer, importConnectors } from './import-connectors.ts'

export function importRoutes(connectors: ConnectorAdder): Route[] {
  return [
    defineRoute({
      id: 'importConnectors',
      method: 'POST',
      path: '/api/import',
      summary: "Adds the servers of an MCP client's configuration.",
      body: z
        .record(z.string(), z.unknown())
        .describe('As the client has it: mcpServers, servers, mcp.servers or a bare map of names to servers.'),
      responses: { 200: { description: 'What was added, skipped and refused.', schema: ImportAnswer } },
      handle: async ({ body }) => ({ status: 200, body: await importConnectors(body, connectors) }),
    }),
  ]
}

import {
  ConnectorInput,
  ConnectorPatch,
  ConnectorView,
  DownstreamHealth,
  LogLine,
  StoredTestRequest,
  TestReport,
  TestRequest,
  ToolSummary,
} from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type Route } from '../platform/http/index.ts'
import type { ConnectorService } from './connector-service.ts'

// A name that could not exist is looked up all the same, so that it answers like any other unknown name.
const params = z.object({ name: z.string().describe('Name of a connector.') })

/** Management of connectors for people and programs. */
export function connectorRoutes(service: ConnectorService): Route[] {
  return [...storedConnectorRoutes(service), ...testRoutes(service), ...observationRoutes(service)]
}

function storedConnectorRoutes(service: ConnectorService): Route[] {
  return [
    defineRoute({
      id: 'listConnectors',
      method: 'GET',
      path: '/api/connectors',
      summary: 'Every connector with the health of its downstream.',
      responses: { 200: { description: 'The connectors.', schema: z.object({ connectors: z.array(ConnectorView) }) } },
      handle: () => ({ status: 200, body: { connectors: service.list() } }),
    }),
    defineRoute({
      id: 'addConnector',
      method: 'POST',
      path: '/api/connectors',
      summary: 'Stores a connector and serves it at once.',
      body: ConnectorInput,
      responses: { 201: { description: 'The stored connector.', schema: ConnectorView } },
      handle: async ({ body }) => {
        const connector = await service.add(body)
        const location = `/api/connectors/${encodeURIComponent(connector.name)}`
        return { status: 201, body: connector, headers: { location } }
      },
    }),
    defineRoute({
      id: 'getConnector',
      method: 'GET',
      path: '/api/connectors/:name',
      summary: 'One connector.',
      params,
      responses: { 200: { description: 'The connector.', schema: ConnectorView } },
      handle: ({ params: { name } }) => ({ status: 200, body: service.get(name) }),
    }),
    defineRoute({
      id: 'updateConnector',
      method: 'PATCH',
      path: '/api/connectors/:name',
      summary: 'Changes the given fields. A secret without a value keeps the stored one; null clears a field.',
      params,
      body: ConnectorPatch,
      responses: { 200: { description: 'The changed connector.', schema: ConnectorView } },
      // As sent: a default filled in for an absent option would overwrite the stored one.
      handle: async ({ params: { name }, sent }) => ({
        status: 200,
        body: await service.update(name, sent as ConnectorPatch),
      }),
    }),
    defineRoute({
      id: 'removeConnector',
      method: 'DELETE',
      path: '/api/connectors/:name',
      summary: 'Stops the downstream and forgets the connector with its secrets.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name } }) => {
        await service.remove(name)
        return { status: 204 }
      },
    }),
  ]
}

function testRoutes(service: ConnectorService): Route[] {
  const report = { 200: { description: 'Stages, cause and suggested fix; ok tells the outcome.', schema: TestReport } }
  return [
    defineRoute({
      id: 'testConnector',
      method: 'POST',
      path: '/api/connectors/:name/test',
      summary:
        'Tests a stored connector, perhaps with changes, with a downstream of its own, and calls a tool when one is named.',
      params,
      body: StoredTestRequest.optional(),
      responses: report,
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await service.test(name, body) }),
    }),
    defineRoute({
      id: 'removeBrokenCache',
      method: 'DELETE',
      path: '/api/connectors/:name/broken-cache',
      summary: 'Removes the half-made folder in the cache of npx that a test named, and starts the server again.',
      params,
      query: z.object({ folder: z.string().min(1).max(4096).describe('As the test named it.') }),
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name }, query: { folder } }) => {
        await service.removeBrokenCache(name, folder)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'testConnectorInput',
      method: 'POST',
      path: '/api/connector-test',
      summary: 'Tests a connector that is not stored.',
      body: TestRequest.extend({ connector: ConnectorInput }),
      responses: report,
      handle: async ({ body: { connector, ...request } }) => ({
        status: 200,
        body: await service.testInput(connector, request),
      }),
    }),
  ]
}

function observationRoutes(service: ConnectorService): Route[] {
  return [
    defineRoute({
      id: 'getConnectorHealth',
      method: 'GET',
      path: '/api/connectors/:name/health',
      summary: 'State, latency and last error of the downstream.',
      params,
      responses: { 200: { description: 'The health.', schema: DownstreamHealth } },
      handle: ({ params: { name } }) => ({ status: 200, body: service.health(name) }),
    }),
    defineRoute({
      id: 'listConnectorTools',
      method: 'GET',
      path: '/api/connectors/:name/tools',
      summary: 'The tools of one connector, as clients see them.',
      params,
      responses: { 200: { description: 'The tools.', schema: z.object({ tools: z.array(ToolSummary) }) } },
      handle: ({ params: { name } }) => ({ status: 200, body: { tools: service.tools(name) } }),
    }),
    defineRoute({
      id: 'getConnectorLogs',
      method: 'GET',
      path: '/api/connectors/:name/logs',
      summary: 'Last lines of standard error and of the hub, oldest first.',
      params,
      query: z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(200) }),
      responses: { 200: { description: 'The lines.', schema: z.object({ lines: z.array(LogLine) }) } },
      handle: ({ params: { name }, query }) => ({ status: 200, body: { lines: service.logs(name, query.limit) } }),
    }),
  ]
}

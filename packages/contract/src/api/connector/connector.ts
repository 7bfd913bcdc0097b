import { z } from 'zod'

import {
  ConnectorInput,
  ConnectorPatch,
  ConnectorView,
  DownstreamHealth,
  SavedConnector,
} from '../../connector/connector.ts'
import { LogLine, StoredTestRequest, TestReport, TestRequest, ToolSummary } from '../../hub.ts'
import { StoreSecretsFlag } from '../../secret/secret.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ name: z.string().describe('Name of a connector.') })
const storing = z.object({ storeSecrets: StoreSecretsFlag })
const report = { 200: { description: 'Stages, cause and suggested fix; ok tells the outcome.', schema: TestReport } }

export const connectorOperations = {
  listConnectors: {
    method: 'GET',
    path: '/api/connectors',
    summary: 'Every connector with the health of its downstream.',
    responses: { 200: { description: 'The connectors.', schema: z.object({ connectors: z.array(ConnectorView) }) } },
  },
  addConnector: {
    method: 'POST',
    path: '/api/connectors',
    summary: 'Stores a connector and serves it at once.',
    query: storing,
    body: ConnectorInput,
    responses: { 201: { description: 'The stored connector.', schema: SavedConnector } },
    errors: ['CONNECTOR_EXISTS', 'CONNECTOR_INVALID'],
  },
  getConnector: {
    method: 'GET',
    path: '/api/connectors/:name',
    summary: 'One connector.',
    params,
    responses: { 200: { description: 'The connector.', schema: ConnectorView } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  updateConnector: {
    method: 'PATCH',
    path: '/api/connectors/:name',
    summary: 'Changes the given fields. A secret without a value keeps the stored one; null clears a field.',
    params,
    query: storing,
    body: ConnectorPatch,
    responses: { 200: { description: 'The changed connector.', schema: SavedConnector } },
    errors: ['CONNECTOR_NOT_FOUND', 'CONNECTOR_EXISTS', 'CONNECTOR_INVALID'],
  },
  removeConnector: {
    method: 'DELETE',
    path: '/api/connectors/:name',
    summary: 'Stops the downstream and forgets the connector with its secrets.',
    params,
    responses: { 204: { description: 'It is gone.' } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  testConnector: {
    method: 'POST',
    path: '/api/connectors/:name/test',
    summary:
      'Tests a stored connector, perhaps with changes, with a downstream of its own, and calls a tool when one is named.',
    params,
    body: StoredTestRequest.optional(),
    responses: report,
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  removeBrokenCache: {
    method: 'DELETE',
    path: '/api/connectors/:name/broken-cache',
    summary: 'Removes the half-made folder in the cache of npx that a test named, and starts the server again.',
    params,
    query: z.object({ folder: z.string().min(1).max(4096).describe('As the test named it.') }),
    responses: { 204: { description: 'It is gone.' } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  testConnectorInput: {
    method: 'POST',
    path: '/api/connector-test',
    summary: 'Tests a connector that is not stored.',
    body: TestRequest.extend({ connector: ConnectorInput }),
    responses: report,
  },
  getConnectorHealth: {
    method: 'GET',
    path: '/api/connectors/:name/health',
    summary: 'State, latency and last error of the downstream.',
    params,
    responses: { 200: { description: 'The health.', schema: DownstreamHealth } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  listConnectorTools: {
    method: 'GET',
    path: '/api/connectors/:name/tools',
    summary: 'The tools of one connector, as clients see them.',
    params,
    responses: { 200: { description: 'The tools.', schema: z.object({ tools: z.array(ToolSummary) }) } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  getConnectorLogs: {
    method: 'GET',
    path: '/api/connectors/:name/logs',
    summary: 'Last lines of standard error and of the hub, oldest first.',
    params,
    query: z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(200) }),
    responses: { 200: { description: 'The lines.', schema: z.object({ lines: z.array(LogLine) }) } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

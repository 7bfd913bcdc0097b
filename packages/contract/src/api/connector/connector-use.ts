import { z } from 'zod'

import { ConnectorUses } from '../../connector/connector.ts'
import type { ApiOperation } from '../operation.ts'

export const connectorUseOperations = {
  listConnectorUses: {
    method: 'GET',
    path: '/api/connector-uses',
    summary: 'Who would miss each connector: servers, sessions, tools made of tools.',
    responses: { 200: { description: 'One for each.', schema: z.object({ uses: z.array(ConnectorUses) }) } },
  },
  getConnectorUses: {
    method: 'GET',
    path: '/api/connectors/:name/uses',
    summary: 'The same for one connector.',
    params: z.object({ name: z.string() }),
    responses: { 200: { description: 'Its uses.', schema: ConnectorUses } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

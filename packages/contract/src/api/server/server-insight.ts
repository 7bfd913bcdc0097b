import { z } from 'zod'

import { ServedTool, ServerHealth } from '../../server/server.ts'
import type { ApiOperation } from '../operation.ts'

export const serverInsightOperations = {
  listServerHealth: {
    method: 'GET',
    path: '/api/server-health',
    summary: 'How every served server is, as probes are told.',
    responses: { 200: { description: 'The health.', schema: z.object({ servers: z.array(ServerHealth) }) } },
  },
  listServerTools: {
    method: 'GET',
    path: '/api/servers/:name/tools',
    summary: 'The tools that a client of a served server lists, with what their definitions cost a model.',
    params: z.object({ name: z.string() }),
    responses: {
      200: { description: 'The tools.', schema: z.object({ tools: z.array(ServedTool) }) },
    },
    errors: ['SERVER_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

import { ServedTool, ServerHealth } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'

/** What pages show of served servers besides what is set about them. */
export interface ServerInsight {
  health(): ServerHealth[]
  /** What a client would list. */
  tools(name: string): Promise<ServedTool[]>
}

export function serverInsightRoutes(insight: ServerInsight): Route[] {
  return [
    defineRoute({
      id: 'listServerHealth',
      method: 'GET',
      path: '/api/server-health',
      summary: 'How every served server is, as probes are told.',
      responses: { 200: { description: 'The health.', schema: z.object({ servers: z.array(ServerHealth) }) } },
      handle: () => ({ status: 200, body: { servers: insight.health() } }),
    }),
    defineRoute({
      id: 'listServerTools',
      method: 'GET',
      path: '/api/servers/:name/tools',
      summary: 'The tools that a client of a served server lists, with what their definitions cost a model.',
      params: z.object({ name: z.string() }),
      responses: {
        200: { description: 'The tools.', schema: z.object({ tools: z.array(ServedTool) }) },
      },
      handle: async ({ params: { name } }) => ({ status: 200, body: { tools: await insight.tools(name) } }),
    }),
  ]
}

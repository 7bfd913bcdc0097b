import { Collision, ToolSummary } from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type Route } from '../platform/http/index.ts'

/** What a route needs of the catalog. */
export interface ToolList {
  tools(): ToolSummary[]
  collisions(): Collision[]
}

export function toolRoutes(catalog: ToolList): Route[] {
  return [
    defineRoute({
      id: 'listTools',
      method: 'GET',
      path: '/api/tools',
      summary: 'Every tool that the facade offers, and the names that two connectors wanted.',
      responses: {
        200: {
          description: 'Tools and collisions.',
          schema: z.object({ tools: z.array(ToolSummary), collisions: z.array(Collision) }),
        },
      },
      handle: () => ({ status: 200, body: { tools: catalog.tools(), collisions: catalog.collisions() } }),
    }),
  ]
}

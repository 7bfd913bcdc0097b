import { EventView } from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type Route } from '../platform/http/index.ts'

/** What a route needs of the stored events. */
export interface RecentEvents {
  recent(filter: { connector?: string; limit: number }): Promise<EventView[]>
}

export function eventRoutes(events: RecentEvents): Route[] {
  return [
    defineRoute({
      id: 'listEvents',
      method: 'GET',
      path: '/api/events',
      summary: 'What happened last, newest first.',
      query: z.object({
        connector: z.string().optional().describe('Only events of this connector.'),
        limit: z.coerce.number().int().min(1).max(1000).default(100),
      }),
      responses: { 200: { description: 'The events.', schema: z.object({ events: z.array(EventView) }) } },
      handle: async ({ query }) => ({ status: 200, body: { events: await events.recent(query) } }),
    }),
  ]
}

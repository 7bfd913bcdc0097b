import { HubStatus, StopInput } from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type Route } from './platform/http/index.ts'

/** What the routes need of the hub itself. */
export interface HubControl {
  status(): Promise<HubStatus>
  /** `graceMs` is how long calls under way are waited for. */
  stop(graceMs?: number): void
}

export function hubRoutes(hub: HubControl): Route[] {
  return [
    defineRoute({
      id: 'getStatus',
      method: 'GET',
      path: '/api/status',
      summary: 'Where the hub listens, how it is doing and what it serves.',
      responses: { 200: { description: 'The status.', schema: HubStatus } },
      handle: async () => ({ status: 200, body: await hub.status() }),
    }),
    defineRoute({
      id: 'stopHub',
      method: 'POST',
      path: '/api/stop',
      summary:
        'Stops the hub once this answer has left and its running calls have ended. Again: only to wait for less.',
      body: StopInput.optional(),
      responses: { 202: { description: 'The hub is stopping.', schema: z.object({ stopping: z.literal(true) }) } },
      handle: ({ body }) => ({ status: 202, body: { stopping: true }, afterwards: () => hub.stop(body?.graceMs) }),
    }),
  ]
}

import { ReplayReport, ReplayRequest, TraceId } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'
import type { ReplayService } from './replay-desk.ts'

export function replayRoutes(replays: ReplayService): Route[] {
  return [
    defineRoute({
      id: 'replayTrace',
      method: 'POST',
      path: '/api/traces/:traceId/replay',
      summary: 'Sends a recorded call again, as you, with the recorded arguments or others.',
      params: z.object({ traceId: TraceId }),
      body: ReplayRequest,
      responses: { 200: { description: 'What was answered this time, and then.', schema: ReplayReport } },
      handle: async ({ params: { traceId }, body, principal }) => ({
        status: 200,
        body: await replays.replay(traceId, body, principal),
      }),
    }),
  ]
}

import { z } from 'zod'

import { ReplayReport, ReplayRequest } from '../../trace/replay.ts'
import { TraceId } from '../../trace/trace.ts'
import type { ApiOperation } from '../operation.ts'

export const replayOperations = {
  replayTrace: {
    method: 'POST',
    path: '/api/traces/:traceId/replay',
    summary: 'Sends a recorded call again, as you, with the recorded arguments or others.',
    params: z.object({ traceId: TraceId }),
    body: ReplayRequest,
    responses: { 200: { description: 'What was answered this time, and then.', schema: ReplayReport } },
    errors: ['TRACE_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

import { z } from 'zod'

import { HubStatus, StopInput } from '../hub.ts'
import type { ApiOperation } from './operation.ts'

export const hubOperations = {
  getOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This document.',
    responses: { 200: { description: 'An OpenAPI 3.1 document.', schema: z.record(z.string(), z.unknown()) } },
  },
  getStatus: {
    method: 'GET',
    path: '/api/status',
    summary: 'Where the hub listens, how it is doing and what it serves.',
    responses: { 200: { description: 'The status.', schema: HubStatus } },
  },
  stopHub: {
    method: 'POST',
    path: '/api/stop',
    summary: 'Stops the hub once this answer has left and its running calls have ended. Again: only to wait for less.',
    body: StopInput.optional(),
    responses: { 202: { description: 'The hub is stopping.', schema: z.object({ stopping: z.literal(true) }) } },
  },
} as const satisfies Record<string, ApiOperation>

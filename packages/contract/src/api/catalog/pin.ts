import { z } from 'zod'

import { PinApproval, PinReview, PinView, ToolFinding } from '../../catalog/pin.ts'
import type { ApiOperation } from '../operation.ts'

const place = z.object({ server: z.string(), tool: z.string() })
const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true')
const found = { 200: { description: 'The pins.', schema: z.object({ pins: z.array(PinView) }) } }

export const pinOperations = {
  listPins: {
    method: 'GET',
    path: '/api/catalog/pins',
    summary: 'Which tools are as they were approved, and which wait for a person.',
    query: z.object({ server: z.string().optional(), pending: isTrue.optional() }),
    responses: found,
  },
  reviewPin: {
    method: 'GET',
    path: '/api/catalog/pins/:server/:tool',
    summary: 'A tool as it was approved and as it is, the difference, and what the scan finds.',
    params: place,
    responses: { 200: { description: 'The review.', schema: PinReview } },
    errors: ['CONNECTOR_NOT_FOUND', 'TOOL_NOT_FOUND'],
  },
  approvePins: {
    method: 'POST',
    path: '/api/catalog/pins/:server/approve',
    summary: 'Approve tools as they were reviewed, by hash. 409 when one of them changed meanwhile.',
    params: z.object({ server: z.string() }),
    body: z.strictObject({ tools: z.array(PinApproval).min(1).max(10_000) }),
    responses: found,
    errors: ['PIN_MOVED'],
  },
  dropAbsentPins: {
    method: 'POST',
    path: '/api/catalog/pins/:server/drop-absent',
    summary: 'Expect the tools no more that the server does not offer any more.',
    params: z.object({ server: z.string() }),
    responses: { 200: { description: 'Their names.', schema: z.object({ tools: z.array(z.string()) }) } },
  },
  scanCatalog: {
    method: 'GET',
    path: '/api/catalog/findings',
    summary: 'Hidden characters, injected instructions and look-alike names in the descriptors.',
    responses: { 200: { description: 'The findings.', schema: z.object({ findings: z.array(ToolFinding) }) } },
  },
} as const satisfies Record<string, ApiOperation>

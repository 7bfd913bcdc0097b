import { PinApproval, PinReview, PinView, ToolFinding } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'

/** What routes need of the pins. */
export interface PinService {
  pins(filter: { server?: string | undefined; pending?: boolean | undefined }): PinView[]
  reviewPin(server: string, tool: string): Promise<PinReview>
  approvePins(server: string, reviewed: readonly PinApproval[]): Promise<PinView[]>
  dropAbsentPins(server: string): string[]
  findings(): ToolFinding[]
}

const place = z.object({ server: z.string(), tool: z.string() })
const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true')

export function pinRoutes(pins: PinService): Route[] {
  const found = { 200: { description: 'The pins.', schema: z.object({ pins: z.array(PinView) }) } }
  return [
    defineRoute({
      id: 'listPins',
      method: 'GET',
      path: '/api/catalog/pins',
      summary: 'Which tools are as they were approved, and which wait for a person.',
      query: z.object({ server: z.string().optional(), pending: isTrue.optional() }),
      responses: found,
      handle: ({ query }) => ({ status: 200, body: { pins: pins.pins(query) } }),
    }),
    defineRoute({
      id: 'reviewPin',
      method: 'GET',
      path: '/api/catalog/pins/:server/:tool',
      summary: 'A tool as it was approved and as it is, the difference, and what the scan finds.',
      params: place,
      responses: { 200: { description: 'The review.', schema: PinReview } },
      handle: async ({ params: { server, tool } }) => ({ status: 200, body: await pins.reviewPin(server, tool) }),
    }),
    defineRoute({
      id: 'approvePins',
      method: 'POST',
      path: '/api/catalog/pins/:server/approve',
      summary: 'Approve tools as they were reviewed, by hash. 409 when one of them changed meanwhile.',
      params: z.object({ server: z.string() }),
      body: z.strictObject({ tools: z.array(PinApproval).min(1).max(10_000) }),
      responses: found,
      handle: async ({ params: { server }, body }) => ({
        status: 200,
        body: { pins: await pins.approvePins(server, body.tools) },
      }),
    }),
    defineRoute({
      id: 'dropAbsentPins',
      method: 'POST',
      path: '/api/catalog/pins/:server/drop-absent',
      summary: 'Expect the tools no more that the server does not offer any more.',
      params: z.object({ server: z.string() }),
      responses: { 200: { description: 'Their names.', schema: z.object({ tools: z.array(z.string()) }) } },
      handle: ({ params: { server } }) => ({ status: 200, body: { tools: pins.dropAbsentPins(server) } }),
    }),
    defineRoute({
      id: 'scanCatalog',
      method: 'GET',
      path: '/api/catalog/findings',
      summary: 'Hidden characters, injected instructions and look-alike names in the descriptors.',
      responses: { 200: { description: 'The findings.', schema: z.object({ findings: z.array(ToolFinding) }) } },
      handle: () => ({ status: 200, body: { findings: pins.findings() } }),
    }),
  ]
}

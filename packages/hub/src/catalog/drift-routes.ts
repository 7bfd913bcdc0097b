import { CatalogHistory, DriftReport, HistoryLimits, PruneReport } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'

/** What routes need to tell how the catalog is, should be and was. */
export interface DriftService {
  intended(): Promise<Record<string, unknown>[]>
  live(): Promise<Record<string, unknown>[]>
  drift(): Promise<DriftReport>
  history(limit: number): Promise<CatalogHistory>
  prune(limits: HistoryLimits): Promise<PruneReport>
}

const limit = z.coerce.number().int().min(1).max(1000).default(20)
const toolList = z.object({ tools: z.array(z.record(z.string(), z.unknown())) })

export function driftRoutes(drift: DriftService): Route[] {
  return [
    defineRoute({
      id: 'getIntended',
      method: 'GET',
      path: '/api/catalog/intended',
      summary: 'The tools as configuration and approvals want them.',
      responses: { 200: { description: 'The tools.', schema: toolList } },
      handle: async () => ({ status: 200, body: { tools: await drift.intended() } }),
    }),
    defineRoute({
      id: 'getLive',
      method: 'GET',
      path: '/api/catalog/live',
      summary: 'The tools as clients get them now, listed through the endpoint that they use.',
      responses: { 200: { description: 'The tools.', schema: toolList } },
      handle: async () => ({ status: 200, body: { tools: await drift.live() } }),
    }),
    defineRoute({
      id: 'getDrift',
      method: 'GET',
      path: '/api/catalog/drift',
      summary: 'How the live catalog differs from the intended one. Both are taken anew.',
      responses: { 200: { description: 'The report.', schema: DriftReport } },
      handle: async () => ({ status: 200, body: await drift.drift() }),
    }),
    defineRoute({
      id: 'getCatalogHistory',
      method: 'GET',
      path: '/api/catalog/history',
      summary: 'Earlier catalogs and drift, newest first.',
      query: z.object({ limit }),
      responses: { 200: { description: 'The history.', schema: CatalogHistory } },
      handle: async ({ query }) => ({ status: 200, body: await drift.history(query.limit) }),
    }),
    defineRoute({
      id: 'pruneCatalogHistory',
      method: 'POST',
      path: '/api/catalog/history/prune',
      summary: 'Forget old history.',
      body: HistoryLimits,
      responses: { 200: { description: 'What is gone.', schema: PruneReport } },
      handle: async ({ body }) => ({ status: 200, body: await drift.prune(body) }),
    }),
  ]
}

import { z } from 'zod'

import { CatalogHistory, DriftReport, HistoryLimits, PruneReport } from '../../catalog/drift.ts'
import type { ApiOperation } from '../operation.ts'

const limit = z.coerce.number().int().min(1).max(1000).default(20)
const toolList = z.object({ tools: z.array(z.record(z.string(), z.unknown())) })

export const driftOperations = {
  getIntended: {
    method: 'GET',
    path: '/api/catalog/intended',
    summary: 'The tools as configuration and approvals want them.',
    responses: { 200: { description: 'The tools.', schema: toolList } },
  },
  getLive: {
    method: 'GET',
    path: '/api/catalog/live',
    summary: 'The tools as clients get them now, from where their own lists come.',
    responses: { 200: { description: 'The tools.', schema: toolList } },
  },
  getDrift: {
    method: 'GET',
    path: '/api/catalog/drift',
    summary: 'How the live catalog differs from the intended one. Both are taken anew.',
    responses: { 200: { description: 'The report.', schema: DriftReport } },
  },
  getCatalogHistory: {
    method: 'GET',
    path: '/api/catalog/history',
    summary: 'Earlier catalogs and drift, newest first.',
    query: z.object({ limit }),
    responses: { 200: { description: 'The history.', schema: CatalogHistory } },
  },
  pruneCatalogHistory: {
    method: 'POST',
    path: '/api/catalog/history/prune',
    summary: 'Forget old history.',
    body: HistoryLimits,
    responses: { 200: { description: 'What is gone.', schema: PruneReport } },
  },
} as const satisfies Record<string, ApiOperation>

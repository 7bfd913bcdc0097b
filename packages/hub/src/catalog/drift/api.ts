import type { CatalogHistory, DriftReport, HistoryLimits, PruneReport } from '@herma/contract'
import { driftOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'

/** What routes need to tell how the catalog is, should be and was. */
export interface DriftService {
  intended(): Promise<Record<string, unknown>[]>
  live(): Promise<Record<string, unknown>[]>
  drift(): Promise<DriftReport>
  history(limit: number): Promise<CatalogHistory>
  prune(limits: HistoryLimits): Promise<PruneReport>
}

export function driftApi(drift: DriftService): Route[] {
  return serve(driftOperations, {
    getIntended: async () => ({ tools: await drift.intended() }),
    getLive: async () => ({ tools: await drift.live() }),
    getDrift: () => drift.drift(),
    getCatalogHistory: ({ query }) => drift.history(query.limit),
    pruneCatalogHistory: ({ body }) => drift.prune(body),
  })
}

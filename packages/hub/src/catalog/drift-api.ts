import { driftOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'
import type { CatalogManager } from './catalog-manager.ts'

export function driftApi(drift: CatalogManager): Route[] {
  return serve(driftOperations, {
    getIntended: async () => ({ tools: await drift.intended() }),
    getLive: async () => ({ tools: await drift.live() }),
    getDrift: () => drift.drift(),
    getCatalogHistory: ({ query }) => drift.history(query.limit),
    pruneCatalogHistory: ({ body }) => drift.prune(body),
  })
}

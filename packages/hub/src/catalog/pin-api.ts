import { pinOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'
import type { CatalogManager } from './catalog-manager.ts'

export function pinApi(pins: CatalogManager): Route[] {
  return serve(pinOperations, {
    listPins: ({ query }) => ({ pins: pins.pins(query) }),
    reviewPin: ({ params: { server, tool } }) => pins.reviewPin(server, tool),
    approvePins: async ({ params: { server }, body }) => ({ pins: await pins.approvePins(server, body.tools) }),
    dropAbsentPins: ({ params: { server } }) => ({ tools: pins.dropAbsentPins(server) }),
    scanCatalog: () => ({ findings: pins.findings() }),
  })
}

import { catalogOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'
import type { CatalogManager } from './catalog-manager.ts'

export function catalogApi(catalog: CatalogManager): Route[] {
  return serve(catalogOperations, {
    listTools: () => ({ tools: catalog.tools(), collisions: catalog.collisions() }),
    listCatalogTools: ({ query: { server, all = false } }) => ({ tools: catalog.all(server, all) }),
    getTool: ({ params: { server, tool } }) => catalog.detail(server, tool),
    searchTools: ({ query: { query, limit } }) => ({ tools: catalog.search(query, limit) }),
    getCost: () => catalog.cost(),
    listFragments: () => ({ fragments: catalog.fragments() }),
    reloadFragments: async () => ({ fragments: await catalog.reload() }),
    listViews: () => ({ views: catalog.views() }),
    listOverrides: () => ({ overrides: catalog.overrides() }),
    changeOverride: ({ params: { server, tool }, body }) => catalog.changeOverride(server, tool, body),
    changeOverrides: async ({ body }) => ({ changed: await catalog.changeOverrides(body) }),
    removeOverride: ({ params: { server, tool } }) => catalog.removeOverride(server, tool),
    acceptOverride: ({ params: { server, tool } }) => catalog.acceptOverride(server, tool),
  })
}

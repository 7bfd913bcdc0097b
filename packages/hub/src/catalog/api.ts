import type {
  CatalogTool,
  Collision,
  CostReport,
  FragmentView,
  OverrideChange,
  OverrideChanges,
  OverrideView,
  ToolDetail,
  ToolMatch,
  ToolOverride,
  ToolSummary,
  View,
} from '@herma/contract'
import { catalogOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'
import type { CompositeService } from './composite/api.ts'
import type { DriftService } from './drift/api.ts'
import type { PinService } from './pin/api.ts'

/** What routes need of the catalog. */
export interface CatalogService extends PinService, DriftService, CompositeService {
  tools(): ToolSummary[]
  collisions(): Collision[]
  /** Of one server or of all; those that clients do not see only when they are wanted. */
  all(server: string | undefined, withHidden: boolean): CatalogTool[]
  detail(server: string, tool: string): ToolDetail
  cost(): CostReport
  search(query: string, limit: number): ToolMatch[]
  fragments(): FragmentView[]
  reload(): Promise<FragmentView[]>
  views(): View[]
  overrides(): OverrideView[]
  changeOverride(server: string, tool: string, change: OverrideChange): Promise<ToolOverride>
  /** How many there were. */
  changeOverrides(changes: OverrideChanges): Promise<number>
  removeOverride(server: string, tool: string): Promise<void>
  acceptOverride(server: string, tool: string): ToolDetail
}

export function catalogApi(catalog: CatalogService): Route[] {
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

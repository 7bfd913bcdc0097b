import {
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
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'
import { compositeRoutes, type CompositeService } from './composite-routes.ts'
import { driftRoutes, type DriftService } from './drift-routes.ts'
import { pinRoutes, type PinService } from './pin-routes.ts'

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

const place = z.object({ server: z.string(), tool: z.string() })
const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true')
const count = (limit: number, usual: number) => z.coerce.number().int().min(1).max(limit).default(usual)

export function catalogRoutes(catalog: CatalogService): Route[] {
  return [
    ...toolRoutes(catalog),
    ...fragmentRoutes(catalog),
    ...overrideRoutes(catalog),
    ...compositeRoutes(catalog),
    ...pinRoutes(catalog),
    ...driftRoutes(catalog),
  ]
}

function toolRoutes(catalog: CatalogService): Route[] {
  return [
    defineRoute({
      id: 'listTools',
      method: 'GET',
      path: '/api/tools',
      summary: 'Every tool that the facade offers, and the names that two connectors wanted.',
      responses: {
        200: {
          description: 'Tools and collisions.',
          schema: z.object({ tools: z.array(ToolSummary), collisions: z.array(Collision) }),
        },
      },
      handle: () => ({ status: 200, body: { tools: catalog.tools(), collisions: catalog.collisions() } }),
    }),
    defineRoute({
      id: 'listCatalogTools',
      method: 'GET',
      path: '/api/catalog/tools',
      summary: 'The tools of the catalog with their cost; with all=true also those that clients do not see, and why.',
      query: z.object({ server: z.string().optional(), all: isTrue.optional() }),
      responses: { 200: { description: 'The tools.', schema: z.object({ tools: z.array(CatalogTool) }) } },
      handle: ({ query: { server, all = false } }) => ({ status: 200, body: { tools: catalog.all(server, all) } }),
    }),
    defineRoute({
      id: 'getTool',
      method: 'GET',
      path: '/api/catalog/tools/:server/:tool',
      summary: 'One tool, hidden or not: each field as its server has it, as it was overridden, as clients see it.',
      params: place,
      responses: { 200: { description: 'The tool.', schema: ToolDetail } },
      handle: ({ params: { server, tool } }) => ({ status: 200, body: catalog.detail(server, tool) }),
    }),
    defineRoute({
      id: 'searchTools',
      method: 'GET',
      path: '/api/catalog/search',
      summary: 'The tools that fit a few words, the best first.',
      query: z.object({ query: z.string().max(1000), limit: count(100, 10) }),
      responses: { 200: { description: 'The tools.', schema: z.object({ tools: z.array(ToolMatch) }) } },
      handle: ({ query: { query, limit } }) => ({ status: 200, body: { tools: catalog.search(query, limit) } }),
    }),
    defineRoute({
      id: 'getCost',
      method: 'GET',
      path: '/api/catalog/cost',
      summary: 'What the definitions of the tools cost a model, in tokens.',
      responses: { 200: { description: 'The report.', schema: CostReport } },
      handle: () => ({ status: 200, body: catalog.cost() }),
    }),
  ]
}

function fragmentRoutes(catalog: CatalogService): Route[] {
  const found = { 200: { description: 'The fragments.', schema: z.object({ fragments: z.array(FragmentView) }) } }
  return [
    defineRoute({
      id: 'listFragments',
      method: 'GET',
      path: '/api/catalog/fragments',
      summary: 'The files that the catalog is made of, in the order in which they are merged, with their errors.',
      responses: found,
      handle: () => ({ status: 200, body: { fragments: catalog.fragments() } }),
    }),
    defineRoute({
      id: 'reloadFragments',
      method: 'POST',
      path: '/api/catalog/fragments/reload',
      summary: 'Read the files again now. They are watched, so this is rarely needed.',
      responses: found,
      handle: async () => ({ status: 200, body: { fragments: await catalog.reload() } }),
    }),
    defineRoute({
      id: 'listViews',
      method: 'GET',
      path: '/api/catalog/views',
      summary: 'The views that servers and clients can have.',
      responses: { 200: { description: 'The views.', schema: z.object({ views: z.array(View) }) } },
      handle: () => ({ status: 200, body: { views: catalog.views() } }),
    }),
  ]
}

function overrideRoutes(catalog: CatalogService): Route[] {
  const path = '/api/catalog/overrides/:server/:tool'
  return [
    defineRoute({
      id: 'listOverrides',
      method: 'GET',
      path: '/api/catalog/overrides',
      summary: 'The overrides in the database.',
      responses: { 200: { description: 'The overrides.', schema: z.object({ overrides: z.array(OverrideView) }) } },
      handle: () => ({ status: 200, body: { overrides: catalog.overrides() } }),
    }),
    defineRoute({
      id: 'changeOverride',
      method: 'PATCH',
      path,
      summary: 'Say something about a tool in place of its server. Names of servers and tools may have wildcards.',
      params: place,
      body: OverrideChange,
      responses: { 200: { description: 'The override.', schema: ToolOverride } },
      handle: async ({ params: { server, tool }, body }) => ({
        status: 200,
        body: await catalog.changeOverride(server, tool, body),
      }),
    }),
    defineRoute({
      id: 'changeOverrides',
      method: 'PATCH',
      path: '/api/catalog/overrides',
      summary: 'Say something about many tools at once, such as to hide them. All of it is done, or nothing.',
      body: OverrideChanges,
      responses: { 200: { description: 'How many changes.', schema: z.object({ changed: z.number() }) } },
      handle: async ({ body }) => ({ status: 200, body: { changed: await catalog.changeOverrides(body) } }),
    }),
    defineRoute({
      id: 'removeOverride',
      method: 'DELETE',
      path,
      summary: 'Take everything back that was said about a tool by hand.',
      params: place,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { server, tool } }) => {
        await catalog.removeOverride(server, tool)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'acceptOverride',
      method: 'POST',
      path: `${path}/accept`,
      summary: 'Keep the overrides of a tool although its server changed what they are about.',
      params: place,
      responses: { 200: { description: 'The tool.', schema: ToolDetail } },
      handle: ({ params: { server, tool } }) => ({ status: 200, body: catalog.acceptOverride(server, tool) }),
    }),
  ]
}

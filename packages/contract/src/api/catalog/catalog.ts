import { z } from 'zod'

import {
  CatalogTool,
  CostReport,
  OverrideChange,
  OverrideChanges,
  OverrideView,
  ToolDetail,
  ToolMatch,
} from '../../catalog/catalog-view.ts'
import { FragmentView } from '../../catalog/fragment.ts'
import { ToolOverride } from '../../catalog/override.ts'
import { View } from '../../catalog/view.ts'
import { Collision, ToolSummary } from '../../hub.ts'
import type { ApiOperation } from '../operation.ts'

const place = z.object({ server: z.string(), tool: z.string() })
const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true')
const count = (limit: number, usual: number) => z.coerce.number().int().min(1).max(limit).default(usual)
const found = { 200: { description: 'The fragments.', schema: z.object({ fragments: z.array(FragmentView) }) } }

export const catalogOperations = {
  listTools: {
    method: 'GET',
    path: '/api/tools',
    summary: 'Every tool that the facade offers, and the names that two connectors wanted.',
    responses: {
      200: {
        description: 'Tools and collisions.',
        schema: z.object({ tools: z.array(ToolSummary), collisions: z.array(Collision) }),
      },
    },
  },
  listCatalogTools: {
    method: 'GET',
    path: '/api/catalog/tools',
    summary: 'The tools of the catalog with their cost; with all=true also those that clients do not see, and why.',
    query: z.object({ server: z.string().optional(), all: isTrue.optional() }),
    responses: { 200: { description: 'The tools.', schema: z.object({ tools: z.array(CatalogTool) }) } },
  },
  getTool: {
    method: 'GET',
    path: '/api/catalog/tools/:server/:tool',
    summary: 'One tool, hidden or not: each field as its server has it, as it was overridden, as clients see it.',
    params: place,
    responses: { 200: { description: 'The tool.', schema: ToolDetail } },
    errors: ['TOOL_NOT_FOUND'],
  },
  searchTools: {
    method: 'GET',
    path: '/api/catalog/search',
    summary: 'The tools that fit a few words, the best first.',
    query: z.object({ query: z.string().max(1000), limit: count(100, 10) }),
    responses: { 200: { description: 'The tools.', schema: z.object({ tools: z.array(ToolMatch) }) } },
  },
  getCost: {
    method: 'GET',
    path: '/api/catalog/cost',
    summary: 'What the definitions of the tools cost a model, in tokens.',
    responses: { 200: { description: 'The report.', schema: CostReport } },
  },
  listFragments: {
    method: 'GET',
    path: '/api/catalog/fragments',
    summary: 'The files that the catalog is made of, in the order in which they are merged, with their errors.',
    responses: found,
  },
  reloadFragments: {
    method: 'POST',
    path: '/api/catalog/fragments/reload',
    summary: 'Read the files again now. They are watched, so this is rarely needed.',
    responses: found,
  },
  listViews: {
    method: 'GET',
    path: '/api/catalog/views',
    summary: 'The views that servers and clients can have.',
    responses: { 200: { description: 'The views.', schema: z.object({ views: z.array(View) }) } },
  },
  listOverrides: {
    method: 'GET',
    path: '/api/catalog/overrides',
    summary: 'The overrides in the database.',
    responses: { 200: { description: 'The overrides.', schema: z.object({ overrides: z.array(OverrideView) }) } },
  },
  changeOverride: {
    method: 'PATCH',
    path: '/api/catalog/overrides/:server/:tool',
    summary: 'Say something about a tool in place of its server. Names of servers and tools may have wildcards.',
    params: place,
    body: OverrideChange,
    responses: { 200: { description: 'The override.', schema: ToolOverride } },
  },
  changeOverrides: {
    method: 'PATCH',
    path: '/api/catalog/overrides',
    summary: 'Say something about many tools at once, such as to hide them. All of it is done, or nothing.',
    body: OverrideChanges,
    responses: { 200: { description: 'How many changes.', schema: z.object({ changed: z.number() }) } },
  },
  removeOverride: {
    method: 'DELETE',
    path: '/api/catalog/overrides/:server/:tool',
    summary: 'Take everything back that was said about a tool by hand.',
    params: place,
    responses: { 204: { description: 'It is gone.' } },
  },
  acceptOverride: {
    method: 'POST',
    path: '/api/catalog/overrides/:server/:tool/accept',
    summary: 'Keep the overrides of a tool although its server changed what they are about.',
    params: place,
    responses: { 200: { description: 'The tool.', schema: ToolDetail } },
    errors: ['TOOL_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

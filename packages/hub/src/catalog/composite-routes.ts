import { CompositeInput, CompositeView, DryRunReport, DryRunRequest } from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../platform/http/index.ts'

/** What routes need of the aggregates and pipelines. */
export interface CompositeService {
  composites(): Promise<CompositeView[]>
  saveComposite(name: string, input: CompositeInput): Promise<CompositeView>
  removeComposite(name: string): Promise<void>
  dryRun(request: DryRunRequest): DryRunReport
}

const params = z.object({ name: z.string().describe('Name of an aggregate or a pipeline.') })

export function compositeRoutes(catalog: CompositeService): Route[] {
  return [
    defineRoute({
      id: 'listComposites',
      method: 'GET',
      path: '/api/catalog/composites',
      summary: 'Every aggregate and pipeline, the file that it is in, and whether it can be changed here.',
      responses: { 200: { description: 'The composites.', schema: z.object({ composites: z.array(CompositeView) }) } },
      handle: async () => ({ status: 200, body: { composites: await catalog.composites() } }),
    }),
    defineRoute({
      id: 'saveComposite',
      method: 'PUT',
      path: '/api/catalog/composites/:name',
      summary: 'Add an aggregate or a pipeline, or change one; another name in the definition renames it.',
      params,
      body: CompositeInput,
      responses: { 200: { description: 'As it is now.', schema: CompositeView } },
      handle: async ({ params: { name }, body }) => ({ status: 200, body: await catalog.saveComposite(name, body) }),
    }),
    defineRoute({
      id: 'removeComposite',
      method: 'DELETE',
      path: '/api/catalog/composites/:name',
      summary: 'Remove an aggregate or a pipeline that was made here.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name } }) => {
        await catalog.removeComposite(name)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'dryRun',
      method: 'POST',
      path: '/api/catalog/dry-run',
      summary: 'What an aggregate or a pipeline would call. Nothing is run.',
      body: DryRunRequest,
      responses: { 200: { description: 'The calls.', schema: DryRunReport } },
      handle: ({ body }) => ({ status: 200, body: catalog.dryRun(body) }),
    }),
  ]
}

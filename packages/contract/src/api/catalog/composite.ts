import { z } from 'zod'

import { DryRunReport, DryRunRequest } from '../../catalog/catalog-view.ts'
import { CompositeInput, CompositeView } from '../../catalog/composite.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ name: z.string().describe('Name of an aggregate or a pipeline.') })

export const compositeOperations = {
  listComposites: {
    method: 'GET',
    path: '/api/catalog/composites',
    summary: 'Every aggregate and pipeline, the file that it is in, and whether it can be changed here.',
    responses: { 200: { description: 'The composites.', schema: z.object({ composites: z.array(CompositeView) }) } },
  },
  saveComposite: {
    method: 'PUT',
    path: '/api/catalog/composites/:name',
    summary: 'Add an aggregate or a pipeline, or change one; another name in the definition renames it.',
    params,
    body: CompositeInput,
    responses: { 200: { description: 'As it is now.', schema: CompositeView } },
    errors: ['COMPOSITE_EXISTS', 'CATALOG_INVALID'],
  },
  removeComposite: {
    method: 'DELETE',
    path: '/api/catalog/composites/:name',
    summary: 'Remove an aggregate or a pipeline that was made here.',
    params,
    responses: { 204: { description: 'It is gone.' } },
  },
  dryRun: {
    method: 'POST',
    path: '/api/catalog/dry-run',
    summary: 'What an aggregate or a pipeline would call. Nothing is run.',
    body: DryRunRequest,
    responses: { 200: { description: 'The calls.', schema: DryRunReport } },
  },
} as const satisfies Record<string, ApiOperation>

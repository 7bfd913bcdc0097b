import type { CompositeInput, CompositeView, DryRunReport, DryRunRequest } from '@herma/contract'
import { compositeOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'

/** What routes need of the aggregates and pipelines. */
export interface CompositeService {
  composites(): Promise<CompositeView[]>
  saveComposite(name: string, input: CompositeInput): Promise<CompositeView>
  removeComposite(name: string): Promise<void>
  dryRun(request: DryRunRequest): DryRunReport
}

export function compositeApi(catalog: CompositeService): Route[] {
  return serve(compositeOperations, {
    listComposites: async () => ({ composites: await catalog.composites() }),
    saveComposite: ({ params: { name }, body }) => catalog.saveComposite(name, body),
    removeComposite: ({ params: { name } }) => catalog.removeComposite(name),
    dryRun: ({ body }) => catalog.dryRun(body),
  })
}

import { compositeOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'
import type { CatalogManager } from './catalog-manager.ts'

export function compositeApi(catalog: CatalogManager): Route[] {
  return serve(compositeOperations, {
    listComposites: async () => ({ composites: await catalog.composites() }),
    saveComposite: ({ params: { name }, body }) => catalog.saveComposite(name, body),
    removeComposite: ({ params: { name } }) => catalog.removeComposite(name),
    dryRun: ({ body }) => catalog.dryRun(body),
  })
}

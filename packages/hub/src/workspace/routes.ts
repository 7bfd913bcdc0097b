import { BrowseQuery, FolderListing } from '@herma/contract'
import { defineRoute, type Route } from '../platform/http/index.ts'

/** What the routes need of the hub's machine. */
export interface BrowseService {
  browse(query: BrowseQuery): Promise<FolderListing>
}

export function browseRoutes(service: BrowseService): Route[] {
  return [
    defineRoute({
      id: 'browseFolder',
      method: 'GET',
      path: '/api/browse',
      summary: "Names in a folder of the hub's machine, to choose one; never what is in a file.",
      query: BrowseQuery,
      responses: { 200: { description: 'The entries.', schema: FolderListing } },
      handle: async ({ query }) => ({ status: 200, body: await service.browse(query) }),
    }),
  ]
}

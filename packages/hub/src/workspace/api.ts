import type { BrowseQuery, FolderListing } from '@herma/contract'
import { workspaceOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'

/** What the routes need of the hub's machine. */
export interface BrowseService {
  browse(query: BrowseQuery): Promise<FolderListing>
}

export function workspaceApi(service: BrowseService): Route[] {
  return serve(workspaceOperations, {
    browseFolder: ({ query }) => service.browse(query),
  })
}

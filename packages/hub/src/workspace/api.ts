import type { BrowseQuery, FolderListing } from '@herma/contract'
import { workspaceOperations } from '@herma/contract/api'
import { type Route, serve } from '../platform/http/index.ts'

/** Lists a folder of the hub's machine. */
export type BrowseFolder = (query: BrowseQuery) => Promise<FolderListing>

export function workspaceApi(browse: BrowseFolder): Route[] {
  return serve(workspaceOperations, {
    browseFolder: ({ query }) => browse(query),
  })
}

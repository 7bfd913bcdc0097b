import { BrowseQuery, FolderListing } from '../browse.ts'
import type { ApiOperation } from './operation.ts'

export const workspaceOperations = {
  browseFolder: {
    method: 'GET',
    path: '/api/browse',
    role: 'admin',
    summary: "Names in a folder of the hub's machine, to choose one; never what is in a file.",
    query: BrowseQuery,
    responses: { 200: { description: 'The entries.', schema: FolderListing } },
    errors: ['PATH_REFUSED', 'FILE_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

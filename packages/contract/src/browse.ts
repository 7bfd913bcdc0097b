import { z } from 'zod'

/** Which folder of the hub's machine is shown. */
export const BrowseQuery = z.object({
  path: z.string().max(4096).optional().describe('Absent = the home of the hub; ~ is understood.'),
  kind: z.enum(['folder', 'file']).default('folder').describe('folder = folders only; file = files too.'),
})
export type BrowseQuery = z.infer<typeof BrowseQuery>

/** What is in a folder, by name. Never what is in a file. */
export const FolderListing = z.object({
  path: z.string(),
  parent: z.string().nullable().describe('Null at the top.'),
  home: z.string(),
  entries: z
    .array(z.object({ name: z.string(), path: z.string(), kind: z.enum(['folder', 'file']), executable: z.boolean() }))
    .describe('Folders before files, hidden ones last.'),
  isWhole: z.boolean().describe('False when there are more entries than are shown.'),
})
export type FolderListing = z.infer<typeof FolderListing>

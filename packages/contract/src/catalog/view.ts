import { z } from 'zod'
import { Tag } from './override.ts'

/** Which tools are meant; every field that is given has to match. */
export const ToolSelector = z
  .strictObject({
    server: z.string().min(1).describe('Name of a connector; * and ? too. Composites have the server "herma".'),
    tool: z.string().min(1).describe('The name that clients see; * and ? too.'),
    tag: Tag,
    readOnly: z.boolean().describe('True: only tools that say that they change nothing.'),
    destructive: z.boolean().describe('False: no tool that may destroy; one that does not say may.'),
  })
  .partial()
export type ToolSelector = z.infer<typeof ToolSelector>

export const Mode = z.enum(['full', 'search', 'code'])
export type Mode = z.infer<typeof Mode>

/** A profile: what a server, a principal or a client sees of the catalog. */
export const View = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'A view is named with up to 40 of a-z, 0-9 and "-".'),
  description: z.string().max(2000).optional(),
  include: z.array(ToolSelector).default([]).describe('Empty = all tools.'),
  exclude: z.array(ToolSelector).default([]),
  mode: Mode.optional().describe('Absent = as the server says.'),
  for: z
    .strictObject({
      servers: z.array(z.string().min(1)),
      clients: z.array(z.string().min(1)).describe('Names that clients give themselves; * and ? too.'),
      principals: z.array(z.string().min(1)),
    })
    .partial()
    .optional()
    .describe(
      'Who gets this view without being told: all given fields have to match. The first view that matches is taken.',
    ),
})
export type View = z.infer<typeof View>

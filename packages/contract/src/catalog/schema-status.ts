import { z } from 'zod'

/** How the schemas that clients get relate to those of the server. */
export const SchemaStatus = z.object({
  state: z
    .enum(['original', 'normalised', 'adapted'])
    .describe('adapted = the server was seen to answer something else than its output schema says.'),
  changes: z.array(z.object({ path: z.string(), what: z.string() })),
})
export type SchemaStatus = z.infer<typeof SchemaStatus>

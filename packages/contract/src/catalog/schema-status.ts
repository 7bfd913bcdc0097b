import { z } from 'zod'

/** How the schemas that clients get relate to those of the server. */
export const SchemaStatus = z.object({
  state: z
    .enum(['original', 'normalised', 'adapted'])
    .describe('adapted = the server was seen to answer something else than its output schema says.'),
  changes: z.array(z.object({ path: z.string(), what: z.string() })),
})
export type SchemaStatus = z.infer<typeof SchemaStatus>

/** That some clients, or all, get something else than the server wrote, and what. */
export const SchemaAdaptation = z.object({
  kind: z
    .enum(['legal', 'output', 'plain', 'strict'])
    .describe(
      'legal = no revision allows what the server wrote; output = the server was seen to answer something else; plain, strict = these clients refuse it.',
    ),
  clients: z.array(z.string()).describe('Names that clients give themselves, * too; empty = all clients.'),
  changes: z.array(z.object({ path: z.string(), what: z.string() })),
})
export type SchemaAdaptation = z.infer<typeof SchemaAdaptation>

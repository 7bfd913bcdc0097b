import { z } from 'zod'

/** An MCP server that Herma serves. */
export const ServerView = z.object({
  name: z.string(),
  kind: z.enum(['facade']).describe('facade = the whole curated catalog.'),
  path: z.string().describe('Where clients of Streamable HTTP find it.'),
  sse: z.boolean().describe('Whether clients of HTTP+SSE (2024-11-05) may use it.'),
  ssePath: z.string().describe('Where they find it.'),
})
export type ServerView = z.infer<typeof ServerView>

/** Changes of a served server. Absent fields stay as they are. */
export const ServerPatch = z.strictObject({ sse: z.boolean() }).partial()
export type ServerPatch = z.infer<typeof ServerPatch>

import { z } from 'zod'

export const JsonObject = z.record(z.string(), z.unknown())

/** A name that suits every known client. */
export const ExposedName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,52}$/, 'A name has 1 to 52 letters, digits, "_" and "-".')
  .describe('The name that clients see.')

export const Tag = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._:-]{0,39}$/, 'A tag has up to 40 of a-z, 0-9, ".", "_", ":", "-".')

/** What a tool says about its effects. Hints, never a promise. */
export const ToolAnnotations = z
  .strictObject({
    title: z.string().max(500),
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
    openWorldHint: z.boolean(),
  })
  .partial()
export type ToolAnnotations = z.infer<typeof ToolAnnotations>

/** What is said about a tool in place of what its server says. Absent fields stay as the server has them. */
export const ToolOverride = z
  .strictObject({
    enabled: z.boolean().describe('False hides the tool from clients; composites may still call it.'),
    name: ExposedName,
    title: z.string().max(500),
    description: z.string().max(20_000),
    annotations: ToolAnnotations.describe('Merged into those of the server.'),
    inputSchema: JsonObject,
    outputSchema: JsonObject.nullable().describe('null takes the schema of the server away.'),
    tags: z.array(Tag).max(50),
  })
  .partial()
export type ToolOverride = z.infer<typeof ToolOverride>

/** The fields of a tool that can be overridden. */
export const overrideFields = Object.keys(ToolOverride.shape) as (keyof ToolOverride)[]

export const ServerOverride = z.strictObject({
  enabled: z.boolean().optional().describe('False hides every tool of the server.'),
  metadata: z.strictObject({ description: z.string(), source: z.string() }).partial().optional(),
  tools: z
    .record(z.string().min(1), ToolOverride)
    .default({})
    .describe("By the tool's own name; * and ? stand for other characters."),
})
export type ServerOverride = z.infer<typeof ServerOverride>

export const ToolOverrides = z.strictObject({
  schemaVersion: z.literal(2).default(2),
  master: z
    .strictObject({
      enabled: z.boolean().optional(),
      tools: z
        .strictObject({ '*': ToolOverride.omit({ name: true }) })
        .partial()
        .default({}),
    })
    .optional()
    .describe('For every tool of every server, before anything else.'),
  servers: z
    .record(z.string().min(1), ServerOverride)
    .default({})
    .describe('By the name of the connector; * and ? too.'),
})
export type ToolOverrides = z.infer<typeof ToolOverrides>

export const HiddenTool = z.strictObject({
  server: z.string().min(1).describe('Name of a connector; * and ? too.'),
  tool: z.string().min(1).describe('Its own name of the tool; * and ? too.'),
  reason: z.string().max(2000).optional(),
})
export type HiddenTool = z.infer<typeof HiddenTool>

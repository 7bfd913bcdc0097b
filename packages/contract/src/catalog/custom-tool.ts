import { z } from 'zod'
import { ExposedName, JsonObject, Tag, ToolAnnotations } from './override.ts'

/** A command that is a tool. */
export const CustomTool = z.strictObject({
  name: ExposedName,
  title: z.string().max(500).optional(),
  description: z.string().max(20_000).optional(),
  command: z.string().min(1).describe('Executable; no shell is involved.'),
  args: z.array(z.string()).max(500).default([]),
  cwd: z.string().min(1).optional().describe('Absent = the config home.'),
  env: z.record(z.string(), z.string()).default({}),
  timeout: z.number().positive().max(3600).default(60).describe('Seconds.'),
  inputMode: z.enum(['json', 'none']).default('json').describe('json = the arguments on standard input.'),
  inputSchema: JsonObject.default({ type: 'object' }),
  outputSchema: JsonObject.optional().describe('When given, the command writes one JSON value that fits.'),
  annotations: ToolAnnotations.optional(),
  tags: z.array(Tag).optional(),
  maxOutputBytes: z
    .int()
    .min(1024)
    .max(16 * 1024 * 1024)
    .default(1024 * 1024),
  isolation: z
    .enum(['process', 'none'])
    .default('process')
    .describe('process = the state of the hub is hidden from it where the platform can do that; none = it is not.'),
  maxConcurrency: z.int().min(1).max(64).default(4),
})
export type CustomTool = z.infer<typeof CustomTool>

/** `custom_tools.json` in the config home. */
export const CustomTools = z.strictObject({
  $schema: z.string().optional(),
  tools: z.array(CustomTool).max(500).default([]),
})
export type CustomTools = z.infer<typeof CustomTools>

import { z } from 'zod'
import { CompositeInput } from './composite.ts'
import { ToolOverride } from './override.ts'
import { ScanFinding } from './pin.ts'
import { SchemaAdaptation, SchemaStatus } from './schema-status.ts'

export const OverrideState = z
  .enum(['kept', 'conflicting', 'obsolete'])
  .describe('conflicting = the server changed the field since; obsolete = it says the same now.')
export type OverrideState = z.infer<typeof OverrideState>

/** One field of a tool: what the server says, what was put in its place, and what clients see. */
export const FieldView = z.object({
  field: z.string(),
  original: z.unknown(),
  override: z.unknown(),
  exposed: z.unknown(),
  origin: z.string().nullable().describe('Where the override comes from.'),
  state: OverrideState.nullable(),
  base: z.unknown().describe('What the server said when the override was made.'),
})
export type FieldView = z.infer<typeof FieldView>

/** A tool in the list of all there are, hidden or not. */
export const CatalogTool = z.object({
  name: z.string().nullable().describe('The name that clients see; null when they do not see it.'),
  connector: z.string().describe('Tools that Herma runs itself have "herma".'),
  originalName: z.string(),
  description: z.string(),
  hiddenBecause: z.string().nullable(),
  pin: z.enum(['approved', 'pending', 'blocked']).nullable().describe('null = it needs no approval.'),
  tags: z.array(z.string()),
  tokens: z.number().describe('What its definition costs a model, about.'),
  overridden: z.array(z.string()).describe('The fields in whose place something else was put.'),
  overrideState: OverrideState.nullable().describe('The one of its overrides that most needs a look.'),
})
export type CatalogTool = z.infer<typeof CatalogTool>

/** Everything about one tool. */
export const ToolDetail = z.object({
  name: z.string().nullable().describe('The name that clients see; null when they do not see it.'),
  connector: z.string(),
  originalName: z.string(),
  hiddenBecause: z.string().nullable(),
  tags: z.array(z.string()),
  tokens: z.number().describe('What its definition costs a model, about.'),
  schema: SchemaStatus.describe('As strict clients get it.'),
  adaptations: z
    .array(SchemaAdaptation)
    .describe('Which clients get something else than the server wrote, overrides aside; empty = none.'),
  fields: z.array(FieldView),
  byHand: ToolOverride.nullable().describe('What was said about this tool alone, and can be taken back by hand.'),
  findings: z.array(ScanFinding),
})
export type ToolDetail = z.infer<typeof ToolDetail>

export const OverrideView = z.object({ server: z.string(), tool: z.string(), override: ToolOverride })
export type OverrideView = z.infer<typeof OverrideView>

/** Given fields replace, null takes one back, absent ones stay. */
export const OverrideChange = z
  .strictObject(
    Object.fromEntries(
      Object.entries(ToolOverride.shape).map(([field, type]) => [field, (type as z.ZodType).nullable()]),
    ) as unknown as { [K in keyof typeof ToolOverride.shape]: z.ZodType<ToolOverride[K] | null> },
  )
  .partial()
export type OverrideChange = z.infer<typeof OverrideChange>

/** Changes of many tools, which take effect together. */
export const OverrideChanges = z.strictObject({
  changes: z
    .array(z.strictObject({ server: z.string().min(1), tool: z.string().min(1), change: OverrideChange }))
    .min(1)
    .max(5000),
})
export type OverrideChanges = z.infer<typeof OverrideChanges>

/** What the definitions of tools cost a model. */
export const CostReport = z.object({
  tokens: z.number(),
  tools: z.number(),
  servers: z.array(z.object({ server: z.string(), tools: z.number(), tokens: z.number() })),
  costliest: z.array(z.object({ name: z.string(), server: z.string(), tokens: z.number() })),
  modes: z.array(z.object({ mode: z.string(), tokens: z.number() })).describe('What a client pays at the start.'),
})
export type CostReport = z.infer<typeof CostReport>

/** A call to try out without running anything. */
export const DryRunRequest = z
  .strictObject({
    tool: z.string().min(1).optional().describe('Name of an aggregate or a pipeline.'),
    definition: CompositeInput.optional().describe('One that is not saved, in place of the name.'),
    arguments: z.record(z.string(), z.unknown()).default({}),
  })
  .refine(({ tool, definition }) => (tool === undefined) !== (definition === undefined), {
    message: 'Give the name of a composite or a definition, one of the two.',
    path: ['tool'],
  })
export type DryRunRequest = z.infer<typeof DryRunRequest>

/** What a composite would call. */
export const DryRunReport = z.object({
  calls: z.array(
    z.object({
      step: z.string().describe('Id of the step, or value of the operation.'),
      server: z.string().nullable(),
      tool: z.string(),
      arguments: z.unknown().describe('What is not known before running stands as {{ … }}.'),
      note: z.string().nullable(),
    }),
  ),
  problems: z.array(z.string()),
})
export type DryRunReport = z.infer<typeof DryRunReport>

export const ToolMatch = z.object({ name: z.string(), server: z.string(), description: z.string(), tokens: z.number() })
export type ToolMatch = z.infer<typeof ToolMatch>

import { z } from 'zod'
import { Aggregation } from './aggregation.ts'
import { JsonObject } from './override.ts'
import { Pipeline } from './pipeline.ts'

/** An aggregate or a pipeline as a person wrote it. */
export const CompositeInput = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('aggregate'), definition: Aggregation }),
  z.strictObject({ kind: z.literal('pipeline'), definition: Pipeline }),
])
export type CompositeInput = z.infer<typeof CompositeInput>

/** A composite of the catalog, and where it comes from. */
export const CompositeView = z.object({
  name: z.string(),
  kind: z.enum(['aggregate', 'pipeline']),
  file: z.string().describe('Relative to the config home.'),
  isEditable: z.boolean().describe('False when it belongs to a file that people write themselves.'),
  definition: JsonObject.describe('As it is in its file; of other files with the defaults filled in.'),
  problem: z.string().nullable().describe('Why it is not offered to clients.'),
  notes: z.array(z.string()).describe('What a person should know about it.'),
})
export type CompositeView = z.infer<typeof CompositeView>

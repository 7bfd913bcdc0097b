import { z } from 'zod'
import { Aggregation, CompositeDefaults } from './aggregation.ts'
import { HiddenTool, ToolOverrides } from './override.ts'
import { Pipeline } from './pipeline.ts'
import { View } from './view.ts'

/** A JSON file that adds to the catalog. */
export const CatalogFragment = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  name: z.string().max(200).optional(),
  description: z.string().max(4000).optional(),
  toolOverrides: ToolOverrides.optional(),
  hiddenTools: z.array(HiddenTool).default([]),
  defaults: CompositeDefaults.optional(),
  aggregations: z.array(Aggregation).default([]),
  pipelines: z.array(Pipeline).default([]),
  views: z.array(View).default([]),
})
export type CatalogFragment = z.infer<typeof CatalogFragment>

/** Something that a person should know about a file. */
export const FileNote = z.object({
  line: z.number().nullable(),
  column: z.number().nullable(),
  path: z.string().describe('Where in the file: aggregations[0].operations[2].value'),
  message: z.string(),
})
export type FileNote = z.infer<typeof FileNote>

/** How much of what a layer adds to the catalog. */
export const FragmentContent = z.object({
  overrides: z.number().describe('Rules about tools.'),
  hidden: z.number(),
  aggregates: z.number(),
  pipelines: z.number(),
  customTools: z.number(),
  views: z.number(),
})
export type FragmentContent = z.infer<typeof FragmentContent>

/** A fragment as it was found. */
export const FragmentView = z.object({
  file: z.string().describe('Relative to the config home; (defaults) and (database) are no files.'),
  kind: z.enum(['defaults', 'bundle', 'catalog', 'custom-tools', 'database']),
  name: z.string(),
  isEnabled: z.boolean().describe('False when it has errors: it takes no part.'),
  errors: z.array(FileNote),
  differences: z.array(FileNote).describe('What Herma takes differently than the format that the file is in.'),
  content: FragmentContent.optional().describe('Absent when it was only checked.'),
})
export type FragmentView = z.infer<typeof FragmentView>

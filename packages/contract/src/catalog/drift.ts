import { z } from 'zod'
import { FieldDifference } from './pin.ts'

/** What is intended and what clients really get, and how the two differ. */
export const DriftReport = z.object({
  at: z.iso.datetime(),
  hasDrift: z.boolean(),
  intended: z.object({ hash: z.string(), tools: z.number() }),
  live: z.object({ hash: z.string(), tools: z.number() }),
  counts: z.object({ missing: z.number(), extra: z.number(), changed: z.number() }),
  missing: z.array(z.string()).describe('Intended, but not there. Of each list at most 1000 are told.'),
  extra: z.array(z.string()).describe('There, but not intended.'),
  changed: z.array(z.object({ name: z.string(), fields: z.array(FieldDifference) })),
})
export type DriftReport = z.infer<typeof DriftReport>

/** One stored list of the catalog. */
export const CatalogSnapshot = z.object({
  id: z.string(),
  kind: z.enum(['intended', 'live']),
  hash: z.string(),
  tools: z.number(),
  at: z.iso.datetime().describe('When it became like this.'),
})
export type CatalogSnapshot = z.infer<typeof CatalogSnapshot>

/** Newest first. */
export const CatalogHistory = z.object({ snapshots: z.array(CatalogSnapshot), drift: z.array(DriftReport) })
export type CatalogHistory = z.infer<typeof CatalogHistory>

/** What of the history stays: the newest of each kind, and nothing older. */
export const HistoryLimits = z.strictObject({
  keep: z.int().min(1).max(10_000).default(50),
  olderThanDays: z.number().positive().max(36_500).default(90),
})
export type HistoryLimits = z.infer<typeof HistoryLimits>

export const PruneReport = z.object({
  snapshots: z.number(),
  drift: z.number(),
  descriptors: z.number().describe('Stored descriptors that no snapshot needs any more.'),
})
export type PruneReport = z.infer<typeof PruneReport>

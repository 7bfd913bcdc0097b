import { z } from 'zod'

const minutes = z.coerce.number().int().min(1).max(10_080).default(60).describe('How far back from now; up to a week.')
const name = z.string().min(1).max(100).optional()

/** Whose calls: those of one connector, one served server, or the turns of one session. */
export const LatencyQuery = z
  .object({ connector: name, server: name, session: name, minutes })
  .describe('Name exactly one.')
export type LatencyQuery = z.infer<typeof LatencyQuery>

const figures = {
  count: z.int(),
  errors: z.int().describe('Failed calls, and those whose tool reported a failure.'),
  p50: z.number().describe('Milliseconds within which half of the calls were done.'),
  p95: z.number(),
  p99: z.number(),
}

/** How long calls took, in steps of equal length. */
export const LatencyReport = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  stepMs: z.number(),
  points: z
    .array(z.object({ at: z.iso.datetime(), ...figures }))
    .describe('Oldest first; a step without calls is absent.'),
  total: z.object({
    ...figures,
    p50: z.number().nullable().describe('Null without calls.'),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  }),
  lastError: z.object({ at: z.iso.datetime(), message: z.string(), traceId: z.string().nullable() }).nullable(),
})
export type LatencyReport = z.infer<typeof LatencyReport>

export const LatencySummaryQuery = z.object({ minutes })
export type LatencySummaryQuery = z.infer<typeof LatencySummaryQuery>

/** The calls of one connector or server, for a line in a list. */
export const LatencyLine = z.object({
  name: z.string(),
  count: z.int(),
  errors: z.int(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  spark: z.array(z.number().nullable()).describe('The median in 24 steps, oldest first; null = no calls.'),
})
export type LatencyLine = z.infer<typeof LatencyLine>

export const LatencySummary = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  connectors: z.array(LatencyLine),
  servers: z.array(LatencyLine),
})
export type LatencySummary = z.infer<typeof LatencySummary>

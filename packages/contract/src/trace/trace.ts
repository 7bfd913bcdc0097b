import { z } from 'zod'

export const EventOutcome = z.enum(['ok', 'tool-error', 'error', 'cancelled', 'refused'])
export type EventOutcome = z.infer<typeof EventOutcome>

/** One recorded fact, in the same form for every provider and transport. Fields that do not apply are absent. */
export const EventView = z.object({
  id: z.string().describe('Nanoseconds since 1970; later events have greater ids.'),
  at: z.iso.datetime().describe('When it happened; of something that took time, its begin.'),
  kind: z.string().describe('Noun, then what happened: call.finished, connector.added, downstream.started.'),
  connector: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  traceId: z.string().optional().describe('The correlation id: 32 hexadecimal digits, as in a traceparent.'),
  spanId: z.string().optional(),
  parentId: z.string().optional(),
  principal: z.string().optional().describe('Who asked.'),
  server: z.string().optional().describe('The served server that was asked.'),
  connection: z.string().optional(),
  session: z.string().optional(),
  thread: z.string().optional(),
  route: z.string().optional().describe('Which way the work went: openai, anthropic, mcp:stdio, mcp:stream, own …'),
  transport: z.string().optional().describe('How the client reached the hub: stream, sse, rpc.'),
  era: z.enum(['legacy', 'modern']).optional(),
  method: z.string().optional(),
  target: z.string().optional().describe('The tool, prompt or resource, by the name that the client used.'),
  requestBytes: z.number().optional(),
  responseBytes: z.number().optional(),
  ms: z.number().optional(),
  outcome: EventOutcome.optional(),
  errorCode: z.string().optional(),
})
export type EventView = z.infer<typeof EventView>

const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'Give a date and time, for example 2026-11-16T06:00:00Z.')

const outcomes = z
  .string()
  .refine(
    (text) => text.split(',').every((each) => EventOutcome.safeParse(each).success),
    `Outcomes are ${EventOutcome.options.join(', ')}; several are separated by commas.`,
  )

export const TraceId = z.string().regex(/^[0-9a-f]{32}$/, 'A trace id has 32 hexadecimal digits.')

/** Which events are wanted; all that is given has to hold. */
export const EventFilter = z.object({
  from: instant.optional().describe('Recorded at this time or later.'),
  to: instant.optional().describe('Recorded before this time.'),
  kind: z.string().max(100).optional().describe('Kinds, separated by commas; call.* = all that begin so.'),
  principal: z.string().max(200).optional(),
  server: z.string().max(100).optional(),
  connector: z.string().max(100).optional(),
  session: z.string().max(200).optional(),
  thread: z.string().max(200).optional(),
  route: z.string().max(100).optional(),
  transport: z.string().max(50).optional(),
  era: z.enum(['legacy', 'modern']).optional(),
  method: z.string().max(200).optional().describe('Methods, separated by commas.'),
  target: z.string().max(1000).optional(),
  outcome: outcomes.optional().describe('How it ended; several are separated by commas.'),
  minMs: z.coerce.number().min(0).optional().describe('Took at least this many milliseconds.'),
  text: z.string().min(1).max(500).optional().describe('Words that occur in the data or the target.'),
  traceId: TraceId.optional(),
})
export type EventFilter = z.infer<typeof EventFilter>

export const EventQuery = EventFilter.extend({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z
    .string()
    .regex(/^\d{1,19}$/, 'A cursor is the `next` of the page before.')
    .optional(),
})
export type EventQuery = z.infer<typeof EventQuery>

export const EventPage = z.object({
  events: z.array(EventView),
  next: z.string().nullable().describe('Cursor of the next page; null at the end.'),
})
export type EventPage = z.infer<typeof EventPage>

export const Trace = z.object({
  traceId: TraceId,
  events: z.array(EventView).describe('Oldest first.'),
  isWhole: z.boolean().describe('False when it has more events than are shown.'),
})
export type Trace = z.infer<typeof Trace>

export const TraceFormat = z.enum(['json', 'codex', 'claude', 'gemini', 'openai', 'openai-responses', 'otlp', 'har'])
export type TraceFormat = z.infer<typeof TraceFormat>

export const CaptureLevel = z
  .enum(['off', 'calls', 'messages', 'bodies'])
  .describe('off = nothing; calls = one event per request; messages = also each message; bodies = with its content.')
export type CaptureLevel = z.infer<typeof CaptureLevel>

/** What is recorded of the traffic of one served server. */
export const Capture = z.strictObject({
  level: CaptureLevel,
  sample: z.number().min(0).max(1).describe('Share of requests of which messages and bodies are recorded.'),
  maxBodyBytes: z.number().int().min(256).max(1_048_576).describe('Of a longer body the begin is recorded.'),
})
export type Capture = z.infer<typeof Capture>

export const CapturePatch = Capture.partial()
export type CapturePatch = z.infer<typeof CapturePatch>

export const CaptureView = Capture.extend({ server: z.string() })
export type CaptureView = z.infer<typeof CaptureView>

const retention = {
  days: z.number().int().min(1).max(3650).describe('Events older than this are deleted.'),
  maxBytes: z
    .number()
    .int()
    .min(16_777_216)
    .max(1_099_511_627_776)
    .describe('When events take more room than this, the oldest are deleted.'),
  auditDays: z.number().int().min(1).max(3650).describe('The same for the audit log.'),
  auditMaxBytes: z.number().int().min(16_777_216).max(1_099_511_627_776),
}

const endpoint = z
  .url({
    protocol: /^https?$/,
    error: 'Give the base URL of an OTLP/HTTP collector, for example http://localhost:4318',
  })
  .max(2000)

/** How long events are kept, and where spans and metrics are sent. */
export const TraceSettings = z.object({
  ...retention,
  otlp: z
    .object({
      endpoint,
      headers: z.array(z.string()).describe('Their names; no route ever shows a value.'),
      metrics: z.boolean(),
      intervalMs: z.number(),
    })
    .nullable()
    .describe('An OpenTelemetry collector; null = none.'),
})
export type TraceSettings = z.infer<typeof TraceSettings>

export const OtlpInput = z.strictObject({
  endpoint,
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'This is not the name of a header.'), z.string().max(8192))
    .optional()
    .describe('Headers of each request; stored encrypted. Absent = as they are. {secret:NAME} takes a stored secret.')
    .meta({ secret: true }),
  metrics: z.boolean().default(true).describe('Whether the figures of /metrics are sent too.'),
  intervalMs: z.number().int().min(1000).max(600_000).default(10_000),
})
export type OtlpInput = z.infer<typeof OtlpInput>

/** Absent fields stay as they are. */
export const TraceSettingsPatch = z.strictObject({ ...retention, otlp: OtlpInput.nullable() }).partial()
export type TraceSettingsPatch = z.infer<typeof TraceSettingsPatch>

const counts = {
  written: z.number(),
  dropped: z.number(),
  queued: z.number(),
  lastError: z.object({ at: z.iso.datetime(), message: z.string() }).nullable(),
}

/** How recording itself is doing. */
export const TraceStats = z.object({
  events: z.object(counts),
  audit: z.object(counts),
  kept: z.object({
    bytes: z.number(),
    auditBytes: z.number(),
    partitions: z.number(),
    since: z.iso.datetime().nullable().describe('Begin of the oldest partition.'),
  }),
  tails: z.number().describe('Listeners of the live tail.'),
  otlp: z
    .object({
      sent: z.number(),
      dropped: z.number(),
      queued: z.number(),
      lastError: z.object({ at: z.iso.datetime(), message: z.string() }).nullable(),
    })
    .nullable(),
})
export type TraceStats = z.infer<typeof TraceStats>

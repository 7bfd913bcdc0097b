import { z } from 'zod'

/** Which call of a trace is sent again, and what differs this time. */
export const ReplayRequest = z.strictObject({
  spanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'A span id has 16 hexadecimal digits.')
    .optional()
    .describe('Which call; it may be absent where the trace has a single one.'),
  arguments: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('In place of the recorded arguments of a tool or prompt.'),
  server: z.string().max(100).optional().describe('The served server; absent = the one that was asked.'),
})
export type ReplayRequest = z.infer<typeof ReplayRequest>

/** How a call went that was sent again. */
export const ReplayReport = z.object({
  traceId: z.string().describe('Of the new call.'),
  server: z.string(),
  method: z.string(),
  target: z.string().nullable().describe('The tool, prompt or resource.'),
  result: z.unknown().describe('What was answered; null where the answer is an error.'),
  error: z.object({ code: z.number(), message: z.string() }).nullable(),
  isError: z.boolean().describe('An error, or a tool that reports its own failure.'),
  ms: z.number(),
  recorded: z
    .object({
      arguments: z.unknown(),
      result: z.unknown().describe('Absent when it was not recorded.'),
      error: z.unknown(),
      ms: z.number().nullable(),
    })
    .describe('The call as it was then.'),
})
export type ReplayReport = z.infer<typeof ReplayReport>

import { z } from 'zod'
import { ConnectorPatch } from './connector/connector.ts'

export const TestStage = z.object({
  name: z.enum(['resolve', 'start', 'handshake', 'list', 'call']),
  outcome: z.enum(['ok', 'failed', 'skipped']),
  ms: z.number(),
  detail: z.string().describe('What happened, in one line.'),
})
export type TestStage = z.infer<typeof TestStage>

export const TestReport = z.object({
  ok: z.boolean(),
  stages: z.array(TestStage),
  cause: z.string().nullable(),
  fix: z.string().nullable().describe('The next step for a person.'),
  brokenCache: z
    .string()
    .optional()
    .describe('A half-made folder in the cache of npx that keeps the server from starting; it can be removed.'),
  stderr: z.array(z.string()),
  initialize: z.unknown().describe('The handshake result as the server sent it.'),
  tools: z.array(z.unknown()).describe('The descriptors as the server sent them.'),
  call: z.unknown().optional().describe('The result of the call, where one was asked for and answered.'),
  traceId: z.string().optional().describe('The trace of the call, where it passed through a served server.'),
})
export type TestReport = z.infer<typeof TestReport>

/** An optional tool call at the end of a test. */
export const TestRequest = z.strictObject({
  tool: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
})
export type TestRequest = z.infer<typeof TestRequest>

/** The same for a stored connector, which may be tried with changes that are not saved. */
export const StoredTestRequest = TestRequest.extend({
  changes: ConnectorPatch.optional().describe(
    'As in a change of the connector: secrets without a value are the stored ones.',
  ),
})
export type StoredTestRequest = z.infer<typeof StoredTestRequest>

/** The same for a served server. */
export const ServerTestRequest = TestRequest.extend({
  cwd: z.string().max(4096).optional().describe('Put into the arguments, when the tool takes cwd.'),
})
export type ServerTestRequest = z.infer<typeof ServerTestRequest>

export const ToolSummary = z.object({
  name: z.string().describe('The name that clients see.'),
  connector: z.string(),
  originalName: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  descriptor: z.unknown().describe('The exposed descriptor.'),
})
export type ToolSummary = z.infer<typeof ToolSummary>

export const Collision = z.object({
  kind: z.enum(['tool', 'prompt', 'resource', 'resourceTemplate']),
  wanted: z.string(),
  winner: z.string().describe('Connector that keeps the name.'),
  loser: z.string(),
  exposedAs: z.string().nullable().describe('Name given instead; null when it is not reachable.'),
})
export type Collision = z.infer<typeof Collision>

export const LogLine = z.object({ at: z.iso.datetime(), stream: z.enum(['stderr', 'hub']), text: z.string() })
export type LogLine = z.infer<typeof LogLine>

export const HubStatus = z.object({
  version: z.string(),
  processId: z.number(),
  startedAt: z.iso.datetime(),
  endpoint: z.string(),
  ui: z.string(),
  stateHome: z.string(),
  store: z.object({ kind: z.enum(['embedded', 'external']), healthy: z.boolean() }),
  connections: z.number(),
  inFlight: z.number(),
  parked: z.number().describe('Calls that wait for input of a modern client.'),
  rssBytes: z.number(),
  counts: z.object({
    connectors: z.number(),
    ready: z.number(),
    failed: z.number(),
    tools: z.number(),
    resources: z.number(),
    resourceTemplates: z.number(),
    prompts: z.number(),
  }),
  collisions: z.array(Collision),
  leftOut: z
    .array(z.object({ connector: z.string(), problem: z.string() }))
    .describe('What servers offer and the hub does not take, because it is beyond a limit.'),
})
export type HubStatus = z.infer<typeof HubStatus>

/** How a hub shall stop. */
export const StopInput = z.object({
  graceMs: z.number().int().min(0).max(3_600_000).optional().describe('How long running calls are waited for at most.'),
})
export type StopInput = z.infer<typeof StopInput>

export const Problem = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
})
export type Problem = z.infer<typeof Problem>

export const ImportReport = z.object({
  added: z.array(z.string()),
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  failed: z.array(z.object({ name: z.string(), reason: z.string() })),
})
export type ImportReport = z.infer<typeof ImportReport>

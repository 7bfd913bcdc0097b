import type { FoundTarget, PastCall, TargetQuestion } from '../access/policy/index.ts'
import { readEntry, type OpenCatalog } from '../catalog/index.ts'
import type { TraceManagement } from '../trace/api.ts'
import { localOperator } from '../wire/index.ts'

/** What is behind a name that clients of a served server use. */
export function findCallTarget(
  { server, method, target }: TargetQuestion,
  { scopes }: Pick<OpenCatalog, 'scopes'>,
): FoundTarget | undefined {
  const scope = scopes.for({ server, principal: localOperator, clientInfo: undefined })
  const entry =
    method === 'tools/call' ? scope.tool(target) : method === 'prompts/get' ? scope.prompt(target) : undefined
  if (entry === undefined) return undefined
  const { annotations } = readEntry(entry) as { annotations?: unknown }
  // However it was spelled, rules know it by its name.
  return { connector: entry.source.name, original: entry.original, annotations, target: entry.name ?? target }
}

/** The newest calls of clients, for trying rules on them. */
export async function recentCalls(traces: TraceManagement['traces'], limit: number): Promise<PastCall[]> {
  const { events } = await traces.find({ kind: 'call.finished', limit })
  return events.map((event) => ({
    at: Date.parse(event.at),
    traceId: event.traceId ?? null,
    principal: event.principal ?? '',
    server: event.server ?? '',
    method: event.method ?? '',
    target: event.target ?? '',
    connector: event.connector ?? undefined,
  }))
}

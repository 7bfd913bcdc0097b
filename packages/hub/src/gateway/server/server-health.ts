import type { ServerHealth, ServerView } from '@herma/contract'
import type { ConnectorEntry } from '../../downstream/index.ts'
import type { OwnServerFacts } from './server-facts.ts'

interface HealthOptions {
  readonly refusal: Error | null
  /** Of a team or session. */
  readonly own: OwnServerFacts | undefined
  /** The connector that it hosts; null when that was removed, undefined when there is none. */
  readonly hosted: ConnectorEntry | null | undefined
  readonly inFlight: number
}

/** How a served server is, as probes are told. */
export function serverHealth(view: ServerView, options: HealthOptions): ServerHealth {
  const { name, kind, enabled, tools, lastHandshake } = view
  return { name, kind, enabled, ...stateOf(view, options), tools, lastHandshake, inFlight: options.inFlight }
}

function stateOf(
  { name }: ServerView,
  { refusal, own, hosted }: HealthOptions,
): Pick<ServerHealth, 'state' | 'problem'> {
  if (refusal !== null) return { state: 'disabled', problem: refusal.message }
  if (own !== undefined && own.problem !== null) return failing(own.problem)
  if (hosted === undefined) return { state: 'ready', problem: null }
  if (hosted === null)
    return failing(`Its connector was removed. Give it another: herma server ${name} --connector NAME`)
  const { connector, problem } = hosted.stored
  if (problem !== null) return failing(problem)
  if (hosted.downstream === null)
    return failing(`Its connector '${connector.name}' is disabled. Enable it with: herma enable ${connector.name}`)
  const { state, lastError } = hosted.downstream.health()
  if (state === 'starting' || state === 'installing') return { state: 'starting', problem: null }
  if (state !== 'backoff' && state !== 'failed') return { state: 'ready', problem: null }
  return failing(`${lastError?.message ?? 'It does not start.'} See: herma logs ${connector.name}`)
}

function failing(problem: string) {
  return { state: 'failing', problem } as const
}

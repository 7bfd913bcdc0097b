import { HubError, type Principal, type Usage } from '@herma/contract'
import type { EventContext, EventOutcome, Events } from '../../platform/events.ts'
import { sessionServer } from '../../wire/index.ts'
import type { TraceContext } from '../call/trace-context.ts'

interface CallFacts {
  readonly events: Events
  readonly trace: TraceContext
  readonly principal: Principal
  readonly session: string
  readonly api: string
  readonly requestBytes: number
}

interface Finished {
  readonly usage: Usage
  readonly costUsd: number | null
  readonly thread: string | null
}

/** One request of an OpenAI client as it is told to others. */
export interface OpenAiRecord {
  routed(route: string): void
  refused(why: string, rule: string | null): void
  finished(result: Finished, responseBytes: number): void
  failed(error: unknown, end: { readonly isCancelled: boolean; readonly responseBytes: number }): void
}

export function beginOpenAiCall({ events, trace, principal, session, api, requestBytes }: CallFacts): OpenAiRecord {
  const at = Date.now()
  const begun = performance.now()
  let route: string | undefined
  const context = (): EventContext => ({
    ...trace,
    principal: principal.id,
    server: sessionServer(session),
    session,
    route,
    transport: 'openai',
    method: api,
    target: session,
  })
  const end = (outcome: EventOutcome, facts: EventContext, data: Record<string, unknown>) => {
    const ms = performance.now() - begun
    events.record({
      ...context(),
      ...facts,
      kind: 'call.finished',
      at,
      ms,
      outcome,
      requestBytes,
      connector: null,
      data,
    })
  }
  return {
    routed(chosen) {
      route = chosen
    },
    refused: (why, rule) => events.emit('access.refused', null, { why, rule }, context()),
    finished: ({ usage, costUsd, thread }, responseBytes) =>
      end('ok', { responseBytes, thread: thread ?? undefined }, { usage, costUsd }),
    failed(error, { isCancelled, responseBytes }) {
      const { code, message } = error instanceof HubError ? error : new HubError('INTERNAL', 'The hub failed.')
      const outcome = isCancelled ? 'cancelled' : code === 'FORBIDDEN' || code === 'RATE_LIMITED' ? 'refused' : 'error'
      end(outcome, { responseBytes, errorCode: isCancelled ? undefined : code }, isCancelled ? {} : { error: message })
    },
  }
}

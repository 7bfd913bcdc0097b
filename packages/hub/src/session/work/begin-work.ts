import { randomBytes } from 'node:crypto'
import { HubError, type ErrorCode } from '@herma/contract'
import type { EventContext, EventOutcome } from '../../platform/events.ts'
import type { WorkContext } from '../../wire/index.ts'
import { TurnError } from '../turn/turn-error.ts'
import { noUsage } from '../turn/usage.ts'
import type { RouteChoice } from './choose-route.ts'
import type { WorkEnvironment } from './work-environment.ts'
import type { WorkRequest, WorkResult } from './types.ts'

/** One piece of work as it is told to others: events, figures, the health of the session. */
export interface WorkRecord {
  /** With a span of its own, to which what is done here belongs. */
  readonly workContext: WorkContext
  chosen(choice: RouteChoice): void
  finished(result: WorkResult): void
  /** Gives back what is to be thrown. */
  failed(error: unknown): unknown
}

/** What the caller or the rules are to blame for says nothing about the session. */
const faultsOfOthers: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_PARAMS',
  'FORBIDDEN',
  'CAPABILITY_MISSING',
  'CALL_CYCLE',
  'HOP_LIMIT',
  'PATH_REFUSED',
  'FILE_NOT_FOUND',
  'FILE_UNREADABLE',
  'FILE_TOO_LARGE',
  'WORKSPACE_CONFLICT',
  'WORKSPACE_TOO_LARGE',
  'STAGE_FULL',
  'LIMIT_REACHED',
  'TEST_RUNNER_NOT_FOUND',
  'CANCELLED',
])

export function beginWork(request: WorkRequest, { events, figures, health }: WorkEnvironment): WorkRecord {
  const { session, ability, workContext, thread } = request
  const at = Date.now()
  const begun = performance.now()
  const spanId = randomBytes(8).toString('hex')
  const endTurn = health.begin(session.id)
  events.touch('turn')
  let route: string | undefined
  const context = (): EventContext => ({
    traceId: workContext.traceId,
    spanId,
    parentId: workContext.spanId,
    principal: workContext.principal.id,
    server: workContext.caller.server,
    session: session.name,
    thread: thread ?? undefined,
    route,
    target: ability,
  })
  const end = (outcome: EventOutcome, errorCode: string | undefined, data: Record<string, unknown>) => {
    const ms = performance.now() - begun
    events.record({ ...context(), kind: 'turn.finished', at, ms, outcome, errorCode, connector: null, data })
    return ms
  }
  return {
    workContext: { ...workContext, spanId },
    chosen(choice) {
      route = choice.route
      const tool = typeof choice.use === 'string' ? {} : { connector: choice.use.connector, tool: choice.use.tool }
      events.emit('route.chosen', null, { ability, because: choice.because, ...tool }, context())
    },
    finished(result) {
      const { usage, costUsd, steps, toolCalls, finish, changes, committed } = result
      const files = changes.map(({ path, kind }) => ({ path, kind })).slice(0, 100)
      const ms = end('ok', undefined, { usage, costUsd, steps, toolCalls, finish, files, committed })
      figures.add({ session: session.name, route: result.route, outcome: 'ok', ms, usage, costUsd, toolCalls })
      endTurn({ outcome: 'ok', ms })
    },
    failed(error) {
      const isCancelled = workContext.signal.aborted
      const code = error instanceof HubError ? error.code : 'INTERNAL'
      const outcome = isCancelled ? 'cancelled' : 'error'
      const { usage, costUsd, hadEffect } =
        error instanceof TurnError ? error : { usage: noUsage, costUsd: null, hadEffect: false }
      const ms = end(outcome, isCancelled ? undefined : code, { usage, costUsd, hadEffect })
      figures.add({ session: session.name, route: route ?? 'none', outcome, ms, usage, costUsd, toolCalls: 0 })
      const isOurs = !isCancelled && !faultsOfOthers.has(code)
      endTurn({ outcome: isOurs ? 'error' : 'cancelled', ms, ...(isOurs && { problem: (error as Error).message }) })
      return error
    },
  }
}

import { beginWork } from './begin-work.ts'
import { chooseRoute, type RouteChoice } from './choose-route.ts'
import type { WorkEnvironment } from './work-environment.ts'
import { runOwn } from './run/run-own.ts'
import { runStaged } from './run/run-staged.ts'
import { runToolRoute } from './run/run-tool-route.ts'
import type { WorkRequest, WorkResult } from './types.ts'

/**
 * Does a piece of work: waits for a turn of the session, chooses the way, and goes it. Changes of files are committed at
 * its end, all or none; a failure or a cancel leaves them as they were. Rejects with a HubError; see `hadEffect`.
 */
export async function runWork(request: WorkRequest, outside: WorkEnvironment): Promise<WorkResult> {
  const { session, ability, input, workContext } = request
  const leave = await outside.turns.enter({
    id: session.id,
    name: session.name,
    limit: session.limits.maxConcurrency,
    signal: workContext.signal,
    onWait: (before) => workContext.progress(0, undefined, `${before} calls of '${session.name}' are before this one`),
  })
  const record = beginWork(request, outside)
  try {
    const choice = chooseRoute({
      session,
      ability,
      text: input.text,
      isOwn: request.own !== undefined,
      otherwise: request.otherwise,
      routeOf: (connector) => outside.tools.routeOf(connector),
    })
    record.chosen(choice)
    request.onBegin?.(choice.route)
    const result = await perform({ ...request, workContext: record.workContext }, choice, outside)
    record.finished(result)
    return result
  } catch (error) {
    throw record.failed(error)
  } finally {
    leave()
  }
}

function perform(request: WorkRequest, choice: RouteChoice, outside: WorkEnvironment): Promise<WorkResult> {
  const { use } = choice
  if (use === 'own') return runOwn(request, choice, outside)
  return use === 'model' ? runStaged(request, choice, outside) : runToolRoute(request, { ...choice, use }, outside)
}

import type { RouteChoice } from '../choose-route.ts'
import { openPlace } from '../open-place.ts'
import type { WorkEnvironment } from '../work-environment.ts'
import type { WorkRequest, WorkResult } from '../types.ts'
import { withoutModel } from './without-model.ts'

/** Work that the hub does itself, in the workspace of the session. */
export async function runOwn(request: WorkRequest, choice: RouteChoice, outside: WorkEnvironment): Promise<WorkResult> {
  const workspace = await openPlace(request, outside)
  const { text, structured } = await request.own!({ workspace, signal: request.workContext.signal })
  return { ...withoutModel(choice, text), structured }
}

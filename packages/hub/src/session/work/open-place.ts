import type { PathRefusal, Workspace } from '../../workspace/index.ts'
import type { StoredSession } from '../store.ts'
import type { WorkEnvironment } from './work-environment.ts'
import type { WorkPlace, WorkRequest } from './types.ts'

/** Opens the folder that a piece of work is about. What its policy refuses is told to the log of events. */
export async function openPlace(
  {
    session,
    place,
    workContext,
    ability,
    thread,
  }: Pick<WorkRequest, 'session' | 'place' | 'workContext' | 'ability' | 'thread'>,
  { workspaces, events }: Pick<WorkEnvironment, 'workspaces' | 'events'>,
): Promise<Workspace> {
  return await workspaces.open({
    cwd: place.cwd,
    workspaceUri: place.workspaceUri,
    defaultCwd: place.defaultCwd ?? session.workingDir,
    policy: place.policy ?? session.paths,
    onViolation({ path, reason, because }: PathRefusal) {
      const { traceId, spanId, principal, caller } = workContext
      events.emit(
        'workspace.refused',
        null,
        { path: path.slice(0, 1000), reason, because },
        {
          traceId,
          parentId: spanId,
          principal: principal.id,
          server: caller.server,
          session: session.name,
          thread: thread ?? undefined,
          target: ability,
          outcome: 'refused',
        },
      )
    },
  })
}

/** Whether a call says where to work, or somebody has said so before. */
export function hasPlace(session: Pick<StoredSession, 'workingDir'>, place: WorkPlace): boolean {
  return [place.cwd, place.workspaceUri, place.defaultCwd ?? session.workingDir].some(
    (given) => given !== undefined && given !== null,
  )
}

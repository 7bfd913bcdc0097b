import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Session } from '@herma/contract'
import type { HostPolicy } from '../../platform/process/host-policy.ts'
import { usualCommand } from '../provider/agent/command-line.ts'

interface Change {
  readonly before?: Session | undefined
  /** Folders that teams have it work in. */
  readonly teamFolders: readonly string[]
}

/**
 * Throws OWNER_ONLY when who is acting may not choose the program of a session, nor its folders, whose tests are programs
 * too, nor what it may do there. What it has already may stay.
 */
export function requireHostWork(
  policy: HostPolicy | undefined,
  session: Session,
  { before, teamFolders }: Change,
): void {
  if (policy === undefined) return
  const what = `The session '${session.name}'`
  if (session.provider === 'command' && !isDeepStrictEqual(programOf(before), programOf(session)))
    policy.requireCommand(what, { ...usualCommand(session), folder: null })
  if (before === undefined || !isDeepStrictEqual(workOf(before), workOf(session)))
    policy.requireFolders(what, [...foldersOf(session), ...teamFolders])
}

/** What runs; another model is another argument of it. */
function programOf(session: Session | undefined): unknown {
  return session?.provider === 'command' ? [session.command, session.model] : null
}

function workOf({ workingDir, paths, abilities, tools: { allow, deny } }: Session): unknown {
  return { workingDir, paths, abilities, allow, deny }
}

function foldersOf({ workingDir, paths }: Session): string[] {
  const roots = paths.roots.map((root) => resolve(workingDir ?? '/', root))
  return workingDir === null ? roots : [workingDir, ...roots]
}

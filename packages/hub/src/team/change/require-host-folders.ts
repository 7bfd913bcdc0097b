import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Team } from '@herma/contract'
import type { HostPolicy } from '../../platform/process/host-policy.ts'

/** Throws OWNER_ONLY when who is acting may not choose the folders of a team, or who works there. Members may go. */
export function requireHostFolders(policy: HostPolicy | undefined, team: Team, before: Team): void {
  const folders = foldersOf(team)
  if (policy === undefined || folders.length === 0) return
  const known = new Set(before.members.map(({ session }) => session))
  if (isDeepStrictEqual(placeOf(team), placeOf(before)) && team.members.every(({ session }) => known.has(session)))
    return
  policy.requireFolders(`The team '${team.name}'`, folders)
}

type Places = Pick<Team, 'workingDir' | 'paths' | 'hasPathPolicy'>

function placeOf({ workingDir, hasPathPolicy, paths }: Places): unknown {
  return { workingDir, hasPathPolicy, paths }
}

/** Folders in which members of a team work. */
export function foldersOf({ workingDir, paths, hasPathPolicy }: Places): string[] {
  const roots = hasPathPolicy ? paths.roots.map((root) => resolve(workingDir ?? '/', root)) : []
  return workingDir === null ? roots : [workingDir, ...roots]
}

import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { PathRules, PathUse } from './path-policy.ts'

/** Where a path of a call really leads. */
export interface LocatedPath {
  /** Without links; what is still to be created keeps its name. */
  readonly real: string
  readonly root: string
  readonly exists: boolean
  /** As much of `real` as exists. */
  readonly base: string
  /** Whether the last part of the path, as it was given, is a symbolic link. */
  readonly isLink: boolean
}

/** Why a path is refused. `path` is as it was given. */
export interface PathRefusal {
  readonly path: string
  readonly reason: 'malformed' | 'outside' | 'denied' | 'link' | 'hard-link' | 'special'
  readonly because: string
}

export type Located = { readonly place: LocatedPath } | { readonly refusal: PathRefusal }

const maxPathLength = 4096

export interface PathQuestion {
  readonly cwd: string
  readonly path: string
  readonly use: PathUse
}

/**
 * Follows the links of a path and asks the rules about where it ends. What this finds may change at once: whoever opens
 * the place has to look again at what was opened.
 */
export async function locatePath(rules: PathRules, question: PathQuestion): Promise<Located> {
  const { cwd, path, use } = question
  const refuse = (reason: PathRefusal['reason'], because: string): Located => ({ refusal: { path, reason, because } })
  if (path === '' || path.length > maxPathLength || path.includes('\0')) {
    return refuse('malformed', 'it is empty, too long or holds a NUL')
  }
  const named = resolve(cwd, path)
  const { real, missing } = await resolveExisting(named)
  const root = rules.rootOf(join(real, ...missing))
  // The same answer whether it exists or not, so that nobody can ask what is outside.
  if (root === undefined) return refuse('outside', `it is outside of ${rules.roots.join(', ')}`)
  const target = join(real, ...missing)
  const because = rules.whyDenied(target, use)
  if (because !== null) return refuse('denied', because)
  // A link is there and cannot be followed: writing would create its target, wherever that is.
  if (missing[0] !== undefined && (await isSymbolicLink(join(real, missing[0])))) {
    return refuse('link', 'a symbolic link in it leads nowhere')
  }
  const isLink = missing.length === 0 && named !== real && (await isSymbolicLink(named))
  return { place: { real: target, root, exists: missing.length === 0, base: real, isLink } }
}

/** The real path of as much as exists, and the names of the rest. */
async function resolveExisting(path: string): Promise<{ real: string; missing: string[] }> {
  const missing: string[] = []
  for (let current = path; ; current = dirname(current)) {
    try {
      return { real: await realpath(current), missing }
    } catch (error) {
      // Not there, not to be followed, or not for us: what is before it says where it would be.
      if (dirname(current) === current) throw error
      missing.unshift(basename(current))
    }
  }
}

async function isSymbolicLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
}

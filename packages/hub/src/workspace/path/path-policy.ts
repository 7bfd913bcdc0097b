import { isInside } from '../../platform/file/is-inside.ts'
import { realpath } from 'node:fs/promises'
import { basename, isAbsolute, resolve, sep } from 'node:path'
import { defaultDenied, HubError, type PathPolicy as StoredPolicy } from '@herma/contract'
import { compileGlobs, type PathMatcher } from './compile-globs.ts'

/** The folders that a call may touch, and what it may not touch in them. */
export interface PathPolicy extends Omit<StoredPolicy, 'roots' | 'denied'> {
  /** Folders, absolute or relative to the default working directory, which is the only one when there are none. */
  readonly roots: readonly string[]
  /** Globs in place of `defaultDenied`; one that begins with `/` speaks of the whole path. */
  readonly denied?: readonly string[] | undefined
  /** A file with a second name may have it outside of every root; nobody can tell. */
  readonly allowHardLinks?: boolean | undefined
}

export type PathUse = 'read' | 'write'

/** What a policy says about real paths. */
export interface PathRules {
  /** Real paths of the roots that exist. */
  readonly roots: readonly string[]
  readonly allowHardLinks: boolean
  /** The longest root that holds this real path. */
  rootOf(real: string): string | undefined
  /** Why this real path inside of a root may not be used, or null. */
  whyDenied(real: string, use: PathUse): string | null
  /** For who comes down from a folder that may be read: whether something in it is hidden. */
  isHidden(real: string): boolean
}

/** Drafts of a commit; nobody but the journal sees them. */
export const draftPrefix = '.herma-stage-'

const compiled = new WeakMap<readonly string[], DeniedMatchers>()

interface DeniedMatchers {
  readonly relative: PathMatcher
  readonly whole: PathMatcher
}

/** `closed` are real paths of folders that no policy opens. */
export async function compilePolicy(
  policy: PathPolicy,
  defaultCwd: string | null,
  closed: readonly string[] = [],
): Promise<PathRules> {
  const roots = await findRoots(policy, defaultCwd)
  const isClosed = (real: string) => closed.some((folder) => isInside(folder, real))
  const denied = compileDenied(policy.denied ?? defaultDenied)
  const rootsOf = (real: string) => roots.filter((root) => isInside(root, real))
  return {
    roots,
    allowHardLinks: policy.allowHardLinks === true,
    rootOf: (real) => rootsOf(real).toSorted((a, b) => b.length - a.length)[0],
    whyDenied(real, use) {
      if (isClosed(real)) return 'it belongs to Herma itself'
      if (stepsOf(real).some(denied.whole)) return 'a denied glob matches it'
      for (const root of rootsOf(real)) {
        const steps = stepsOf(real.slice(root.length))
        if (steps.some(denied.relative)) return 'a denied glob matches it'
        const names = steps.at(-1)?.toLowerCase().split('/') ?? []
        if (names.some(isDraft)) return 'its name belongs to drafts of Herma'
        // Whoever writes there has programs run: hooks, filters, an editor. Reading is how an agent learns of history.
        if (use === 'write' && names.includes('.git')) return '.git is for reading only'
      }
      return null
    },
    isHidden(real) {
      const names = rootsOf(real).map((root) => foldPath(real.slice(root === sep ? 1 : root.length + 1)))
      return (
        isClosed(real) ||
        isDraft(basename(real)) ||
        denied.whole(foldPath(real.slice(1))) ||
        names.some(denied.relative)
      )
    },
  }
}

function compileDenied(globs: readonly string[]): DeniedMatchers {
  const known = compiled.get(globs)
  if (known !== undefined) return known
  const isWhole = (glob: string) => glob.startsWith('/')
  const matchers = {
    relative: compileGlobs(
      globs.filter((glob) => !isWhole(glob)),
      { ignoreCase: true },
    ),
    whole: compileGlobs(globs.filter(isWhole), { ignoreCase: true }),
  }
  compiled.set(globs, matchers)
  return matchers
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`: what is in a denied folder is denied, whatever its own name. */
function stepsOf(path: string): string[] {
  const parts = foldPath(path)
    .split(sep)
    .filter((part) => part !== '')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

// File systems of Apple compose accents, and an older one overlooks these signs, in names too.
const overlooked = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g

function foldPath(path: string): string {
  return path.normalize('NFC').replace(overlooked, '')
}

function isDraft(name: string): boolean {
  return name.toLowerCase().startsWith(draftPrefix)
}

async function findRoots(policy: PathPolicy, defaultCwd: string | null): Promise<string[]> {
  const named = policy.roots.length === 0 && defaultCwd !== null ? [defaultCwd] : policy.roots
  if (named.length === 0) {
    throw new HubError('INVALID_PARAMS', 'No folder may be touched. Set a working directory or allowed roots first.')
  }
  const found = await Promise.all(named.map((root) => findRoot(root, defaultCwd)))
  const roots = found.filter((root) => root !== null)
  if (roots.length > 0) return [...new Set(roots)]
  throw new HubError('INVALID_PARAMS', `No allowed root exists: ${named.join(', ')}. Create one or set another.`)
}

async function findRoot(root: string, defaultCwd: string | null): Promise<string | null> {
  if (!isAbsolute(root) && defaultCwd === null) {
    throw new HubError('INVALID_PARAMS', `The allowed root '${root}' is relative. Make it absolute.`)
  }
  try {
    return await realpath(resolve(defaultCwd ?? '/', root))
  } catch {
    // A root that is not there, such as a disk that is not mounted, must not close the others.
    return null
  }
}

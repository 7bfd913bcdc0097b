import { readdir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { compileGlobs, type PathMatcher } from './path/compile-globs.ts'
import { openFolder, type Folder } from './folder.ts'
import { namesBetween } from './open-file.ts'
import type { PathRules } from './path/path-policy.ts'

export interface WalkOptions {
  /** Globs relative to the working directory; none = all files. */
  readonly include?: readonly string[] | undefined
  /** Globs of files and folders that are passed by. */
  readonly exclude?: readonly string[] | undefined
  /** At most so many paths. */
  readonly limit?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface WalkEnd {
  /** Whether there may be more than what was given. */
  readonly isTruncated: boolean
}

const defaultLimit = 10_000
const maxLooked = 500_000
const maxDepth = 64

/** Goes through folders by name. `.git` is passed by: its files are of no use to readers. */
export async function* walkFiles(
  cwd: string,
  rules: PathRules,
  options: WalkOptions = {},
): AsyncGenerator<string, WalkEnd> {
  const root = rules.rootOf(cwd) ?? cwd
  const walk: Walk = { cwd, rules, options, ...walkFilter(options), left: options.limit ?? defaultLimit, looked: 0 }
  const folder = await openFolder(root, namesBetween(root, cwd))
  try {
    const isWhole = yield* walkFolder(walk, folder, cwd)
    return { isTruncated: !isWhole }
  } finally {
    await folder.close()
  }
}

/** Compiled once for all paths of a walk. */
export function walkFilter(options: WalkOptions): { isIncluded: PathMatcher; isExcluded: PathMatcher } {
  return {
    isIncluded: options.include === undefined ? () => true : compileGlobs(options.include),
    isExcluded: compileGlobs(options.exclude ?? []),
  }
}

interface Walk {
  readonly cwd: string
  readonly rules: PathRules
  readonly options: WalkOptions
  readonly isIncluded: PathMatcher
  readonly isExcluded: PathMatcher
  left: number
  looked: number
}

/** Returns false when it ended before everything was seen. */
async function* walkFolder(walk: Walk, folder: Folder, path: string): AsyncGenerator<string, boolean> {
  for (const entry of await readFolder(folder)) {
    walk.options.signal?.throwIfAborted()
    if (++walk.looked > maxLooked) return false
    const real = join(path, entry.name)
    const name = relative(walk.cwd, real).split(sep).join('/')
    if (entry.name === '.git' || walk.isExcluded(name) || walk.rules.isHidden(real)) continue
    if (entry.isFile() && walk.isIncluded(name)) {
      if (walk.left-- <= 0) return false
      yield name
    } else if (entry.isDirectory()) {
      if (name.split('/').length > maxDepth) return false
      const isWhole = yield* enterFolder(walk, folder, { path: real, name: entry.name })
      if (!isWhole) return false
    }
  }
  return true
}

async function* enterFolder(
  walk: Walk,
  parent: Folder,
  inner: { path: string; name: string },
): AsyncGenerator<string, boolean> {
  let folder: Folder
  try {
    folder = await parent.enter(inner.name)
  } catch {
    // Removed meanwhile, replaced by a link, or closed to us: there is nothing to see.
    return true
  }
  try {
    return yield* walkFolder(walk, folder, inner.path)
  } finally {
    await folder.close()
  }
}

async function readFolder(folder: Folder): Promise<Dirent[]> {
  const entries = await readdir(folder.at('.'), { withFileTypes: true })
  await folder.check()
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

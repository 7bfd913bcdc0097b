import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import { TextDecoder } from 'node:util'
import type { Dirent } from 'node:fs'
import { HubError } from '@herma/contract'
import { type Folder, openFolder } from './folder.ts'
import { locatePath, type PathRefusal, type LocatedPath } from './path/locate-path.ts'
import { namesBetween, readFileAt, type FileContent } from './open-file.ts'
import type { PathRules, PathUse } from './path/path-policy.ts'
import { fileNotFound, pathRefused, type OnViolation } from './path/path-refusal.ts'
import { walkFiles, type WalkEnd, type WalkOptions } from './walk-files.ts'

export interface ReadOptions {
  readonly maxBytes?: number | undefined
}

export interface FolderEntry {
  readonly name: string
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

export interface Listing {
  readonly entries: readonly FolderEntry[]
  readonly isTruncated: boolean
}

export interface FileState {
  readonly path: string
  readonly kind: 'file' | 'folder' | 'other'
  readonly bytes: number
  readonly modifiedAt: number
}

const defaultMaxBytes = 1024 * 1024
const maxListed = 2000

/**
 * The files that one call may touch. Paths are relative to `cwd`, or absolute inside of a root; what comes back is relative
 * to `cwd`, with `/`. A path that the policy refuses is told to `onViolation` and throws PATH_REFUSED.
 */
export class Workspace {
  readonly cwd: string
  readonly roots: readonly string[]
  readonly #rules: PathRules
  readonly #onViolation: OnViolation

  /** `cwd` is real and allowed: see openWorkspace. */
  constructor(cwd: string, rules: PathRules, onViolation: OnViolation) {
    this.cwd = cwd
    this.roots = rules.roots
    this.#rules = rules
    this.#onViolation = onViolation
  }

  /** Throws for what is not UTF-8. */
  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    return decodeText(path, await this.readBytes(path, options))
  }

  async readBytes(path: string, options: ReadOptions = {}): Promise<Buffer> {
    const place = await this.locate(path)
    return (await this.readPlace(path, place, options.maxBytes)).bytes
  }

  /** Null when there is nothing. */
  async stat(path: string): Promise<FileState | null> {
    const place = await this.locate(path)
    if (!place.exists) return null
    const parent = { root: place.root, real: place.real === place.root ? place.root : dirname(place.real) }
    const name = place.real === place.root ? '.' : basename(place.real)
    const found = await inFolder(parent, (folder) => lstat(folder.at(name))).catch(unlessMissing)
    if (found === null) return null
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
    return { path: this.nameOf(place.real), kind, bytes: found.size, modifiedAt: found.mtimeMs }
  }

  /** What is in a folder, by name; denied names are left out. */
  async list(path = '.'): Promise<Listing> {
    const place = await this.locate(path)
    const entries = (await this.#readFolder(path, place))
      .map((entry) => ({ real: resolve(place.real, entry.name), entry }))
      .filter(({ real }) => !this.#rules.isHidden(real))
      .map(({ real, entry }) => ({ name: entry.name, path: this.nameOf(real), kind: kindOf(entry) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return { entries: entries.slice(0, maxListed), isTruncated: entries.length > maxListed }
  }

  /** Paths of the regular files below `cwd`. Links are not followed: what they lead to inside has a name of its own. */
  walk(options: WalkOptions = {}): AsyncGenerator<string, WalkEnd> {
    return walkFiles(this.cwd, this.#rules, options)
  }

  /** For what walks by itself: tells whether a path relative to `cwd` is hidden. Follows no link. */
  isDenied(path: string): boolean {
    const real = resolve(this.cwd, path)
    return this.#rules.rootOf(real) === undefined || this.#rules.whyDenied(real, 'read') !== null
  }

  /** Where a path leads; throws PATH_REFUSED when it may not be used so. */
  async locate(path: string, use: PathUse = 'read'): Promise<LocatedPath> {
    const located = await locatePath(this.#rules, { cwd: this.cwd, path, use })
    return 'place' in located ? located.place : this.refuse(located.refusal)
  }

  /** Reads what `locate` found. */
  async readPlace(path: string, place: LocatedPath, maxBytes = defaultMaxBytes): Promise<FileContent> {
    if (!place.exists) throw fileNotFound(path)
    return await readFileAt(this.#rules, { path, place, maxBytes, refuse: (refusal) => this.refuse(refusal) })
  }

  /** The name of a real path as seen from `cwd`. */
  nameOf(real: string): string {
    return relative(this.cwd, real).split(sep).join('/') || '.'
  }

  refuse(refusal: PathRefusal): never {
    this.#onViolation(refusal)
    throw pathRefused(refusal)
  }

  async #readFolder(path: string, place: LocatedPath): Promise<Dirent[]> {
    if (!place.exists) throw fileNotFound(path)
    try {
      return await inFolder(place, (folder) => readdir(folder.at('.'), { withFileTypes: true }))
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (code === 'ENOTDIR') throw new HubError('FILE_UNREADABLE', `'${path}' is a file. Read it instead.`)
      throw new HubError('FILE_UNREADABLE', `'${path}' cannot be listed: ${String(code)}.`, { cause })
    }
  }
}

async function inFolder<T>(
  { root, real }: Pick<LocatedPath, 'root' | 'real'>,
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  const folder = await openFolder(root, namesBetween(root, real))
  try {
    const result = await work(folder)
    await folder.check()
    return result
  } finally {
    await folder.close()
  }
}

// Gone since it was found, or a link since then, which is no file of the workspace.
function unlessMissing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code ?? '')) return null
  throw error
}

export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new HubError('FILE_UNREADABLE', `'${path}' is not text in UTF-8. Read its bytes instead.`, { cause })
  }
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

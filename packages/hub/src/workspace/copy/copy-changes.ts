import { constants } from 'node:fs'
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises'
import { HubError } from '@herma/contract'
import { openFolder } from '../folder.ts'
import { walkFolders, type WalkedFolder } from '../search/walk-folders.ts'
import { isSameVersion, toVersion } from './copy-file.ts'
import { Allowance, type CopyLimits } from './copy-limits.ts'
import type { CopyManifest } from './copy-workspace.ts'

/** One difference between a copy and what was copied. */
export type CopyChange = WrittenFile | RemovedFile | RefusedFile

export interface WrittenFile {
  readonly kind: 'added' | 'modified'
  readonly path: string
  readonly bytes: Buffer
  readonly isExecutable: boolean
  /** The original is not what was copied any more: to take this over would undo what somebody else did. */
  readonly isStale: boolean
}

export interface RemovedFile {
  readonly kind: 'removed'
  readonly path: string
  readonly isStale: boolean
}

/** It stays in the copy. */
export interface RefusedFile {
  readonly kind: 'refused'
  readonly path: string
  readonly because: string
}

export interface ChangesOptions {
  readonly original: string
  readonly copy: string
  readonly manifest: CopyManifest
  /** Of what is taken over. */
  readonly limits: CopyLimits
  readonly signal: AbortSignal
}

/**
 * What a program changed in a copy: first what is refused, then removed files, then written ones with their bytes, one
 * at a time. What is in folders of tools, or in those that .gitignore names, stays in the copy.
 */
export async function* findCopyChanges(options: ChangesOptions): AsyncGenerator<CopyChange> {
  const { manifest, signal } = options
  const differences = new Differences(options)
  await differences.look()
  await differences.lookForUnseen()
  for (const [path, because] of differences.refused) yield { kind: 'refused', path, because }
  for (const path of differences.removed) {
    yield { kind: 'removed', path, isStale: !(await isUntouched(options, path)) }
  }
  const allowance = new Allowance(options.limits)
  for (const path of differences.suspects) {
    signal.throwIfAborted()
    const found = await readInside(options.copy, path, options.limits.bytes)
    if (found === 'missing') continue
    if (found === 'refused') yield { kind: 'refused', path, because: 'it is too large, or has a second name' }
    else {
      const isUnchanged = await isUntouched(options, path)
      const isKnown = manifest.files.has(path)
      if (isKnown && isUnchanged && (await isSameContent(options, path, found.bytes))) continue
      if (!allowance.take(found.bytes.length))
        throw allowance.tooLarge('The program changed', 'Nothing was taken over.')
      yield { kind: isKnown ? 'modified' : 'added', path, ...found, isStale: !isUnchanged }
    }
  }
}

/** Walks the copy and notes what may differ. */
class Differences {
  readonly refused = new Map<string, string>()
  readonly removed: string[] = []
  /** Files that are new, or that were touched. */
  readonly suspects: string[] = []
  readonly #options: ChangesOptions
  readonly #seen = new Set<string>()

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  async look(below = ''): Promise<void> {
    const { copy, original, signal } = this.#options
    const walk = walkFolders({ cwd: copy, repository: original, below, signal, isDenied: () => false })
    for (let step = await walk.next(); ; step = await walk.next()) {
      if (step.done === true && !step.value) throw tooMuch()
      if (step.done === true) return
      await this.#lookAt(step.value)
    }
  }

  /**
   * Files that the walk did not meet are removed only when they are really not there: a folder may have been closed, or
   * a link may have taken its place.
   */
  async lookForUnseen(): Promise<void> {
    const links = [...this.refused.keys()].map((path) => `${path}/`)
    for (const path of [...this.#options.manifest.files.keys()].toSorted()) {
      const isBehindLink = this.refused.has(path) || links.some((link) => path.startsWith(link))
      if (this.#seen.has(path) || isBehindLink) continue
      const found = await inside(this.#options.copy, path, (place) => lstat(place)).catch(whyNot)
      if (found === 'missing' || (typeof found === 'object' && found.isDirectory())) this.removed.push(path)
      else if (found === 'closed') this.refused.set(path, 'it cannot be read any more')
      else this.suspects.push(path)
    }
  }

  async #lookAt({ prefix, folder, isTools, links, specials, passedBy, ...found }: WalkedFolder): Promise<void> {
    const { manifest } = this.#options
    for (const name of [...found.files, ...found.ignoredFiles]) {
      const path = prefix + name
      const known = manifest.files.get(path)
      const entry = await lstat(folder.at(name), { bigint: true }).catch(() => null)
      if (entry === null) continue
      this.#seen.add(path)
      if (known === undefined || !isSameVersion(known.copy, toVersion(entry))) this.suspects.push(path)
    }
    for (const name of links) {
      const target = await readlink(folder.at(name)).catch(() => null)
      if (manifest.links.get(prefix + name) !== target) this.refused.set(prefix + name, 'it is a new link')
    }
    for (const name of specials) this.refused.set(prefix + name, 'it is a pipe, a socket or a device')
    // A rule that the program added does not hide what was there before.
    if (isTools && manifest.folders.has(prefix)) await this.look(prefix.slice(0, -1))
    for (const name of passedBy) if (manifest.folders.has(`${prefix}${name}/`)) await this.look(prefix + name)
  }
}

function whyNot(error: NodeJS.ErrnoException): 'missing' | 'closed' {
  return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'missing' : 'closed'
}

function tooMuch(): HubError {
  const message = 'The program made more files than can be looked at. Nothing was taken over.'
  return new HubError('WORKSPACE_TOO_LARGE', message)
}

/** Tells whether the original of a path is still as it was copied; of a new path, whether there still is none. */
async function isUntouched({ original, manifest }: ChangesOptions, path: string): Promise<boolean> {
  const known = manifest.files.get(path)?.original
  return await inside(original, path, async (place) => {
    const entry = await lstat(place, { bigint: true })
    return known !== undefined && entry.isFile() && isSameVersion(known, toVersion(entry))
  }).catch(() => known === undefined)
}

async function isSameContent({ original }: ChangesOptions, path: string, bytes: Buffer): Promise<boolean> {
  const found = await readInside(original, path, bytes.length)
  return typeof found === 'object' && found.bytes.equals(bytes)
}

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

async function readInside(root: string, path: string, maxBytes: number) {
  let file: FileHandle
  try {
    file = await inside(root, path, (place) => open(place, flags))
  } catch {
    // Gone, or a link since we looked.
    return 'missing'
  }
  try {
    const entry = await file.stat()
    if (!entry.isFile() || entry.nlink > 1 || entry.size > maxBytes) return 'refused'
    return { bytes: await file.readFile(), isExecutable: (entry.mode & 0o100) !== 0 }
  } finally {
    await file.close()
  }
}

/** Goes to the folder of a path without following links. */
async function inside<T>(root: string, path: string, work: (place: string) => Promise<T>): Promise<T> {
  const names = path.split('/')
  const name = names.pop()!
  const folder = await openFolder(root, names)
  try {
    const result = await work(folder.at(name))
    await folder.check()
    return result
  } finally {
    await folder.close()
  }
}

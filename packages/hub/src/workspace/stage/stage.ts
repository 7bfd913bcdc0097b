import { lstat } from 'node:fs/promises'
import { HubError } from '@herma/contract'
import { isInside } from '../../platform/file/is-inside.ts'
import type { CommitJournal } from '../commit/commit-journal.ts'
import { fingerprint } from '../commit/find-target.ts'
import { fileNotFound } from '../path/path-refusal.ts'
import type { WalkEnd, WalkOptions } from '../walk-files.ts'
import { decodeText, type Listing, type ReadOptions, type Workspace } from '../workspace.ts'
import { listOver, walkOver } from './overlay.ts'
import { renderDiff } from './render-diff.ts'
import type { StageFigures } from './stage-figures.ts'
import { type StagedFile, StagedFiles, type StageLimits } from './staged-files.ts'

/** One changed file. */
export interface FileChange {
  readonly path: string
  readonly kind: 'added' | 'modified' | 'removed'
  /** SHA-256 of what was on disk. */
  readonly before?: string | undefined
  readonly bytesBefore: number
  readonly bytesAfter: number
}

export interface Commit {
  /** Empty when there was nothing to apply. */
  readonly id: string
  readonly changes: readonly FileChange[]
}

export const defaultStageLimits: StageLimits = {
  maxFiles: 1000,
  maxBytes: 64 * 1024 * 1024,
  maxTotalBytes: 1024 * 1024 * 1024,
}

export interface StageOptions {
  readonly journal: CommitJournal
  readonly figures: StageFigures
  readonly limits?: Partial<StageLimits> | undefined
}

/**
 * Changes of one call, collected over a workspace. Reading sees them; the disk does not, until `commit`. Whoever made a
 * stage ends it with `commit` or `discard`.
 */
export class Stage {
  readonly workspace: Workspace
  readonly #files: StagedFiles
  readonly #journal: CommitJournal
  readonly #figures: StageFigures
  #last: Promise<unknown> = Promise.resolve()

  constructor(workspace: Workspace, { journal, figures, limits }: StageOptions) {
    this.workspace = workspace
    this.#files = new StagedFiles({ ...defaultStageLimits, ...limits }, figures)
    this.#journal = journal
    this.#figures = figures
  }

  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    return decodeText(path, await this.readBytes(path, options))
  }

  async readBytes(path: string, options: ReadOptions = {}): Promise<Buffer> {
    const place = await this.workspace.locate(path)
    const staged = this.#files.get(place.real)
    if (staged === undefined) return (await this.workspace.readPlace(path, place, options.maxBytes)).bytes
    if (staged.after === null) throw fileNotFound(path)
    if (staged.after.bytes.length <= (options.maxBytes ?? Infinity)) return Buffer.from(staged.after.bytes)
    throw new HubError('FILE_TOO_LARGE', `'${path}' has more than ${options.maxBytes} bytes. Read less of it.`)
  }

  /** Whether there is a file or a folder. */
  async exists(path: string): Promise<boolean> {
    const { real, exists } = await this.workspace.locate(path)
    const staged = this.#files.get(real)
    return staged === undefined ? exists || this.#files.hasFolder(real) : staged.after !== null
  }

  async list(path = '.'): Promise<Listing> {
    return await listOver(this.workspace, this.#files, path)
  }

  /** As the walk of a workspace. */
  walk(options: WalkOptions = {}): AsyncGenerator<string, WalkEnd> {
    return walkOver(this.workspace, this.#files, options)
  }

  /** `executable` is for new files; others keep their permissions. */
  async write(path: string, content: string | Uint8Array, options: { executable?: boolean } = {}): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
    await this.#inTurn(async () => {
      const file = await this.#touch(path)
      if (file.after === null) await this.#requireRoom(path, file)
      const mode = options.executable === true ? 0o755 : file.mode
      this.#files.put({ ...file, after: { bytes, print: fingerprint(bytes) }, mode })
    })
  }

  async remove(path: string): Promise<void> {
    await this.#inTurn(async () => {
      const file = await this.#touch(path)
      if (file.after === null) throw fileNotFound(path)
      this.#files.put({ ...file, after: null })
    })
  }

  /** Of one file; there may be none of the new name. */
  async rename(from: string, to: string): Promise<void> {
    await this.#inTurn(async () => {
      const source = await this.#touch(from)
      if (source.after === null) throw fileNotFound(from)
      const target = await this.#touch(to)
      if (target.after !== null) {
        throw new HubError('INVALID_PARAMS', `'${to}' exists. Remove it first, or choose another name.`)
      }
      await this.#requireRoom(to, target)
      this.#files.put({ ...target, after: source.after, mode: source.before?.mode ?? source.mode })
      this.#files.put({ ...source, after: null })
    })
  }

  changes(): FileChange[] {
    return this.#files.changed().map(({ path, before, after }) => ({
      path,
      kind: before === null ? 'added' : after === null ? 'removed' : 'modified',
      before: before?.print.hash,
      bytesBefore: before?.bytes.length ?? 0,
      bytesAfter: after?.bytes.length ?? 0,
    }))
  }

  /** Unified; binary files are only named. */
  async diff(maxLength = 256 * 1024): Promise<string> {
    const pairs = this.#files
      .changed()
      .map(({ path, before, after }) => ({ path, before: before?.bytes ?? null, after: after?.bytes ?? null }))
    return await renderDiff(pairs, maxLength)
  }

  /**
   * Applies all changes or none, and empties the stage. When it throws, the stage still holds them: `discard` them, or
   * commit again. Aborting before it is decided applies nothing; afterwards it has no effect.
   */
  async commit(signal?: AbortSignal): Promise<Commit> {
    return await this.#inTurn(async () => {
      signal?.throwIfAborted()
      const changes = this.changes()
      const id = changes.length === 0 ? '' : await this.#apply(signal)
      this.#files.clear()
      return { id, changes }
    })
  }

  async discard(): Promise<void> {
    await this.#inTurn(async () => this.#files.clear())
  }

  async #apply(signal: AbortSignal | undefined): Promise<string> {
    const planned = this.#files.changed().map(({ path, place, before, after, mode }) => ({
      path,
      root: place.root,
      real: place.real,
      before: before?.print ?? null,
      after: after?.print ?? null,
      bytes: after?.bytes ?? null,
      mode,
    }))
    try {
      const id = await this.#journal.commit(planned, signal)
      this.#figures.commits.add(1, 'applied')
      return id
    } catch (error) {
      const isConflict = error instanceof HubError && error.code === 'WORKSPACE_CONFLICT'
      const isCancelled = signal?.aborted === true && error === signal.reason
      this.#figures.commits.add(1, isConflict ? 'conflict' : isCancelled ? 'cancelled' : 'rolled-back')
      throw error
    }
  }

  /** The staged file of a path, or what is on disk; `put` makes the stage remember it. */
  async #touch(path: string): Promise<StagedFile> {
    const place = await this.workspace.locate(path, 'write')
    if (place.isLink) this.workspace.refuse({ path, reason: 'link', because: 'it is a symbolic link' })
    const known = this.#files.get(place.real)
    if (known !== undefined) return known
    const found = place.exists ? await this.workspace.readPlace(path, place, this.#files.bytesLeft) : null
    const before = found === null ? null : { ...found, print: fingerprint(found.bytes) }
    return { path: this.workspace.nameOf(place.real), place, before, after: before, mode: null }
  }

  // A name cannot be a file and a folder at once, on disk or staged.
  async #requireRoom(path: string, { place }: StagedFile): Promise<void> {
    if (this.#files.hasFolder(place.real)) {
      throw new HubError('INVALID_PARAMS', `'${path}' is a folder of staged files. Choose another name.`)
    }
    const staged = this.#files
      .all()
      .find(({ place: other, after }) => after !== null && isAbove(other.real, place.real))
    const blocker = staged?.path ?? ((await isFile(place.base)) ? this.workspace.nameOf(place.base) : undefined)
    if (place.exists || blocker === undefined) return
    const next = 'Commit its removal first, or choose another name.'
    throw new HubError('INVALID_PARAMS', `'${blocker}' is a file, so there is no room for '${path}'. ${next}`)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work)
    // Whoever asked hears of the failure; the next one has nothing to do with it.
    this.#last = run.catch(() => {})
    return run
  }
}

function isAbove(file: string, real: string): boolean {
  return file !== real && isInside(file, real)
}

async function isFile(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => !found.isDirectory(),
    () => false,
  )
}

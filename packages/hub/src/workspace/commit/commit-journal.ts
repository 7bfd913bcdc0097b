import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { HubError } from '@herma/contract'
import type { Log } from '../../platform/log.ts'
import { namesBetween } from '../open-file.ts'
import { apply, clean, ConflictError, type Contents, prepare, revert } from './commit-steps.ts'
import { type Disk, localDisk } from './disk.ts'
import { type FoundJournal, JournalFolder } from './journal-folder.ts'
import type { Fingerprint, FolderPlan, JournalRecord } from './journal-record.ts'
import { recoverJournal } from './recover-journals.ts'
import { overlap, RootLocks } from './root-locks.ts'

/** One file that a commit changes. */
export interface PlannedChange {
  /** For people. */
  readonly path: string
  readonly root: string
  readonly real: string
  /** What is there now, if it is as it was; null = nothing. */
  readonly before: Fingerprint | null
  readonly after: Fingerprint | null
  readonly bytes: Uint8Array | null
  /** Permission bits of a new file; null = the usual ones. */
  readonly mode: number | null
}

export interface JournalOptions {
  /** Where the records are. It belongs to this process. */
  readonly folder: string
  readonly log: Log
  readonly disk?: Disk | undefined
}

/** A commit that failed and left some of its changes, until the next one or the next start puts that right. */
export class HalfDoneError extends HubError {}

/** Applies changes to files so that all of them happen or none, whatever fails. One commit at a time in the same root. */
export class CommitJournal {
  readonly #journals: JournalFolder
  readonly #disk: Disk
  readonly #log: Log
  readonly #locks = new RootLocks()
  /** Commits that could be neither finished nor undone, with their roots. */
  readonly #stuck = new Map<string, readonly string[]>()
  readonly #running = new Set<Promise<unknown>>()

  constructor({ folder, log, disk = localDisk }: JournalOptions) {
    this.#journals = new JournalFolder(folder, disk)
    this.#disk = disk
    this.#log = log
  }

  /**
   * Throws WORKSPACE_CONFLICT when somebody else changed one of the files, COMMIT_FAILED when the disk refuses, and the
   * reason of the signal; then nothing has changed. Once it is decided, the signal has no effect.
   */
  async commit(changes: readonly PlannedChange[], signal?: AbortSignal): Promise<string> {
    const id = randomBytes(8).toString('hex')
    const roots = [...new Set(changes.map(({ root }) => root))]
    const running = this.#locks.run(roots, signal, async () => {
      await this.#mendStuck(roots)
      const { record, contents } = await planCommit(id, changes)
      await this.#run(record, contents, signal)
    })
    this.#running.add(running)
    try {
      await running
      return id
    } finally {
      this.#running.delete(running)
    }
  }

  /** When nothing is under way any more. */
  async stop(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  async #run(record: JournalRecord, contents: Contents, signal: AbortSignal | undefined): Promise<void> {
    const run = { disk: this.#disk, record }
    let journal: FoundJournal = { id: record.id, state: 'preparing' }
    try {
      await this.#journals.begin(record)
      const stamps = await prepare(run, contents, signal)
      journal = await this.#journals.mark(journal, 'committing')
      await apply(run, stamps)
      journal = await this.#journals.mark(journal, 'done')
    } catch (error) {
      await this.#rollBack(record, error)
      throw error === signal?.reason ? error : explain(error)
    }
    await clean(run, true)
      .then(() => this.#journals.end(journal))
      .catch((error: unknown) => {
        this.#remember(record)
        this.#log.warn('drafts of a commit could not be removed yet', { id: record.id, error })
      })
  }

  // What the record says is asked from the disk: an error may come after the step that it is about.
  async #rollBack(record: JournalRecord, reason: unknown): Promise<void> {
    const run = { disk: this.#disk, record }
    try {
      let journal = await this.#journals.find(record.id)
      if (journal === undefined) return await this.#journals.removeDraft(record.id)
      if (journal.state !== 'preparing') journal = await this.#journals.mark(journal, 'reverting')
      if (journal.state === 'reverting') await revert(run)
      await clean(run, false)
      await this.#journals.end(journal)
    } catch (error) {
      this.#remember(record)
      this.#log.error('a commit could not be undone; the next one, or the next start, tries again', {
        id: record.id,
        error,
      })
      const text = `The changes failed and could not be undone yet: ${(error as Error).message}. Mend the disk, then try again.`
      throw new HalfDoneError('COMMIT_FAILED', text, { cause: reason })
    }
  }

  #remember(record: JournalRecord): void {
    this.#stuck.set(
      record.id,
      record.folders.map(({ root }) => root),
    )
  }

  async #mendStuck(roots: readonly string[]): Promise<void> {
    for (const [id, stuckRoots] of this.#stuck) {
      if (!overlap(stuckRoots, roots)) continue
      const journal = await this.#journals.find(id)
      if (journal !== undefined) {
        await recoverJournal(this.#journals, journal, { log: this.#log, disk: this.#disk }).catch((cause: Error) => {
          throw new HubError('COMMIT_FAILED', `An earlier commit is half-done: ${cause.message}. Mend the disk first.`)
        })
      }
      this.#stuck.delete(id)
    }
  }
}

async function planCommit(
  id: string,
  changes: readonly PlannedChange[],
): Promise<{ record: JournalRecord; contents: Contents }> {
  const folders = new Map<string, FolderPlan>()
  const newFolders = new Map<string, JournalRecord['newFolders'][number]>()
  for (const [number, { path, root, real, before, after }] of changes.entries()) {
    const parent = dirname(real)
    const plan = folders.get(parent) ?? { root, names: namesBetween(root, parent), entries: [] }
    folders.set(parent, plan)
    plan.entries.push({ name: basename(real), path, number, before, after })
    for (let length = 1; length <= plan.names.length; length++) {
      const names = plan.names.slice(0, length)
      const folder = join(root, ...names)
      if (!newFolders.has(folder) && !(await isThere(folder))) newFolders.set(folder, { root, names })
    }
  }
  const contents = new Map(changes.map(({ bytes, mode }, number) => [number, { bytes, mode }]))
  return {
    record: { version: 1, id, folders: [...folders.values()], newFolders: [...newFolders.values()] },
    contents,
  }
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

function explain(error: unknown): unknown {
  if (error instanceof ConflictError) {
    const paths = error.paths.join(', ')
    return new HubError(
      'WORKSPACE_CONFLICT',
      `Somebody else changed ${paths} meanwhile. Nothing was applied. Read again and repeat the changes.`,
      { cause: error, data: { paths: error.paths } },
    )
  }
  if (error instanceof HubError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const what = (code === undefined ? undefined : troubles[code]) ?? `the disk refused (${code ?? message})`
  return new HubError('COMMIT_FAILED', `Nothing was applied: ${what}. Mend that, then commit again.`, { cause: error })
}

const troubles: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'the hub may not write in one of the folders',
  EPERM: 'the hub may not write one of the files',
  ELOOP: 'a folder became a link meanwhile',
  ENOTDIR: 'a folder became a file meanwhile',
}

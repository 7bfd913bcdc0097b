// The steps of a commit. Each goes through the folders of a record and may be begun again after a crash.
import { openFolder, type Folder } from '../folder.ts'
import type { Disk } from './disk.ts'
import { findStamp, findCommitTarget } from './find-target.ts'
import { backupName, draftName, type FolderPlan, type JournalEntry, type JournalRecord } from './journal-record.ts'

/** Files that somebody else changed meanwhile. */
export class ConflictError extends Error {
  readonly paths: readonly string[]

  constructor(paths: readonly string[]) {
    super(`changed meanwhile: ${paths.join(', ')}`)
    this.paths = paths
  }
}

/** New content and, of new files, the permission bits; by the number of the entry. */
export type Contents = ReadonlyMap<number, { readonly bytes: Uint8Array | null; readonly mode: number | null }>

/** Stamps of the files as they were prepared, by the number of the entry. */
export type Stamps = Map<number, string>

export interface CommitRun {
  readonly disk: Disk
  readonly record: JournalRecord
}

/** Writes drafts and backups. No file changes yet. */
export async function prepare(run: CommitRun, contents: Contents, signal?: AbortSignal): Promise<Stamps> {
  const { disk, record } = run
  for (const { root, names } of record.newFolders) {
    await inFolder({ root, names: names.slice(0, -1) }, async (folder) => {
      await disk.makeFolder(folder.at(names.at(-1)!), await folder.handle.stat())
      await disk.sync(folder.handle)
    })
  }
  const stamps: Stamps = new Map()
  const changed: string[] = []
  for (const plan of record.folders) {
    await inFolder(plan, async (folder) => {
      for (const entry of plan.entries) {
        signal?.throwIfAborted()
        const target = await findCommitTarget(folder, entry)
        if (target.state !== 'before') changed.push(entry.path)
        if (changed.length > 0) continue
        stamps.set(entry.number, target.stamp)
        await writeDrafts(run, folder, { entry, target, ...contents.get(entry.number)! })
      }
      await disk.sync(folder.handle)
    })
  }
  if (changed.length > 0) throw new ConflictError(changed)
  signal?.throwIfAborted()
  return stamps
}

async function writeDrafts({ disk, record }: CommitRun, folder: Folder, draft: Draft): Promise<void> {
  const { entry, target, bytes, mode } = draft
  // A file that is removed is its own backup.
  if (bytes === null) return
  const owner = target.file ?? (await folder.handle.stat())
  await disk.create(folder.at(draftName(record.id, entry)), { bytes, mode: target.file?.mode ?? mode, owner })
  if (target.file !== null) {
    await disk.create(folder.at(backupName(record.id, entry)), { ...target.file, owner: target.file })
  }
}

interface Draft {
  readonly entry: JournalEntry
  readonly target: Awaited<ReturnType<typeof findCommitTarget>>
  readonly bytes: Uint8Array | null
  readonly mode: number | null
}

/** Lets drafts take the places of their files. Throws ConflictError when one changed after it was prepared. */
export async function apply(run: CommitRun, stamps: Stamps): Promise<void> {
  for (const plan of run.record.folders) {
    await inFolder(plan, async (folder) => {
      for (const entry of plan.entries) {
        if ((await findStamp(folder, entry.name)) !== stamps.get(entry.number)) throw new ConflictError([entry.path])
        await applyEntry(run, folder, entry)
      }
      await run.disk.sync(folder.handle)
    })
  }
}

/** Goes on with what a crash interrupted. Throws ConflictError, with nothing changed, when that is impossible. */
export async function resumeCommit(run: CommitRun): Promise<void> {
  const open: JournalEntry[] = []
  const changed: string[] = []
  for (const plan of run.record.folders) {
    await inFolder(plan, async (folder) => {
      for (const entry of plan.entries) {
        const { state } = await findCommitTarget(folder, entry)
        if (state === 'before') open.push(entry)
        if (state === 'other') changed.push(entry.path)
      }
    }).catch(unlessGone(() => changed.push(...plan.entries.map(({ path }) => path))))
  }
  if (changed.length > 0) throw new ConflictError(changed)
  for (const plan of run.record.folders) {
    await inFolder(plan, async (folder) => {
      for (const entry of plan.entries) if (open.includes(entry)) await applyEntry(run, folder, entry)
      await run.disk.sync(folder.handle)
    })
  }
}

async function applyEntry({ disk, record }: CommitRun, folder: Folder, entry: JournalEntry): Promise<void> {
  await folder.check()
  if (entry.after === null) await disk.rename(folder.at(entry.name), folder.at(backupName(record.id, entry)))
  else await disk.rename(folder.at(draftName(record.id, entry)), folder.at(entry.name))
}

/** Puts back what was applied. What somebody else wrote meanwhile stays. */
export async function revert({ disk, record }: CommitRun): Promise<void> {
  for (const plan of record.folders.toReversed()) {
    await inFolder(plan, async (folder) => {
      for (const entry of plan.entries.toReversed()) {
        if ((await findCommitTarget(folder, entry)).state !== 'after') continue
        await folder.check()
        if (entry.before === null) await disk.remove(folder.at(entry.name))
        else await disk.rename(folder.at(backupName(record.id, entry)), folder.at(entry.name)).catch(unlessGone())
      }
      await disk.sync(folder.handle)
    }).catch(unlessGone())
  }
}

/** Removes drafts and backups, and the folders that were made when the commit did not happen. */
export async function clean({ disk, record }: CommitRun, happened: boolean): Promise<void> {
  for (const plan of record.folders) {
    await inFolder(plan, async (folder) => {
      for (const entry of plan.entries) {
        if (entry.after !== null) await disk.remove(folder.at(draftName(record.id, entry)))
        if (entry.before !== null) await disk.remove(folder.at(backupName(record.id, entry)))
      }
      await disk.sync(folder.handle)
    }).catch(unlessGone())
  }
  for (const { root, names } of happened ? [] : record.newFolders.toReversed()) {
    const parent = { root, names: names.slice(0, -1) }
    await inFolder(parent, (folder) => disk.removeFolder(folder.at(names.at(-1)!))).catch(unlessGone())
  }
}

async function inFolder(
  { root, names }: Pick<FolderPlan, 'root' | 'names'>,
  work: (folder: Folder) => Promise<void>,
): Promise<void> {
  const folder = await openFolder(root, names)
  try {
    await work(folder)
  } finally {
    await folder.close()
  }
}

// A folder that is not there any more, or is a link now, holds nothing of ours.
function unlessGone(then: () => void = () => {}): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code ?? '')) throw error
    then()
  }
}

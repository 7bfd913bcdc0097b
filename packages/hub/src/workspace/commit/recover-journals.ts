import { lstat } from 'node:fs/promises'
import type { Log } from '../../platform/log.ts'
import { clean, type CommitRun, resumeCommit, revert } from './commit-steps.ts'
import { type Disk, localDisk } from './disk.ts'
import { type FoundJournal, JournalFolder } from './journal-folder.ts'

/**
 * Brings every commit that a crash interrupted to one of its two ends: all of it, once it was decided, or nothing. Called
 * before anybody uses a workspace. Returns how many there were.
 */
export async function recoverJournals(path: string, log: Log, disk: Disk = localDisk): Promise<number> {
  const journals = new JournalFolder(path, disk)
  const found = await journals.list()
  for (const journal of found) {
    try {
      await recoverJournal(journals, journal, { log, disk })
    } catch (error) {
      // One workspace that cannot be reached now must not keep the hub from serving the others.
      log.error('a commit in a workspace is still half-done; the next start tries again', { id: journal.id, error })
    }
  }
  await journals.removeDrafts()
  return found.length
}

export async function recoverJournal(
  journals: JournalFolder,
  journal: FoundJournal,
  { log, disk }: { log: Log; disk: Disk },
): Promise<void> {
  const record = await journals.read(journal)
  // A disk that is not mounted looks like an empty folder: its commit waits until it is there again.
  for (const { root } of record.folders) await lstat(root)
  const run = { disk, record }
  let current = journal
  if (current.state === 'committing') current = await finish(run, { journals, journal, log })
  if (current.state === 'reverting') await revert(run)
  await clean(run, current.state === 'done')
  await journals.end(current)
  const end = current.state === 'done' ? 'done' : 'undone'
  log.warn('a commit that was interrupted is finished', { id: record.id, files: filesOf(run), end })
}

async function finish(run: CommitRun, { journals, journal, log }: Finishing): Promise<FoundJournal> {
  try {
    await resumeCommit(run)
    return await journals.mark(journal, 'done')
  } catch (error) {
    log.warn('an interrupted commit cannot be finished and is undone', { id: journal.id, error })
    return await journals.mark(journal, 'reverting')
  }
}

interface Finishing {
  readonly journals: JournalFolder
  readonly journal: FoundJournal
  readonly log: Log
}

function filesOf({ record }: CommitRun): number {
  return record.folders.reduce((sum, { entries }) => sum + entries.length, 0)
}

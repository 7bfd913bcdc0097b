import { z } from 'zod'
import { draftPrefix } from '../path/path-policy.ts'

const Fingerprint = z.object({ hash: z.string(), bytes: z.number() })
/** What a file holds. */
export type Fingerprint = z.infer<typeof Fingerprint>

const JournalEntry = z.object({
  name: z.string(),
  /** For people. */
  path: z.string(),
  number: z.number(),
  /** Null = there is no file. */
  before: Fingerprint.nullable(),
  after: Fingerprint.nullable(),
})
/** The change of one file. */
export type JournalEntry = z.infer<typeof JournalEntry>

const FolderPlan = z.object({
  root: z.string(),
  names: z.array(z.string()),
  entries: z.array(JournalEntry),
})
/** What happens in one folder, which is found from its root by these names. */
export type FolderPlan = z.infer<typeof FolderPlan>

/** All that recovery has to know about a commit. It holds no content: that is in drafts and backups beside the files. */
export const JournalRecord = z.object({
  version: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{16}$/),
  folders: z.array(FolderPlan),
  /** Folders that the commit makes, outer ones first. */
  newFolders: z.array(z.object({ root: z.string(), names: z.array(z.string()).min(1) })),
})
export type JournalRecord = z.infer<typeof JournalRecord>

/**
 * preparing = drafts and backups are being written, no file has changed; committing = it is decided, files change;
 * reverting = it failed, files change back; done = only drafts and backups are left to be removed.
 */
export const journalStates = ['preparing', 'committing', 'reverting', 'done'] as const
export type JournalState = (typeof journalStates)[number]

/** The new content, until it takes the place of the file. */
export function draftName(id: string, entry: JournalEntry): string {
  return `${draftPrefix}${id}-${entry.number}`
}

/** The old content: a copy of a file that is replaced, or the removed file itself. */
export function backupName(id: string, entry: JournalEntry): string {
  return `${draftPrefix}${id}-${entry.number}-old`
}

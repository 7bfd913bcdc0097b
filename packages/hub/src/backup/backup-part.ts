import type { BackupPartName, Principal } from '@herma/contract'

/** One thing that a backup holds, by its fields and without a secret. */
export type BackupEntry = Readonly<Record<string, unknown>>

/** One kind of thing that a backup holds. The features behind it know nothing of backups. */
export interface BackupPart {
  readonly name: BackupPartName
  /** All that there are now. */
  read(): readonly BackupEntry[] | Promise<readonly BackupEntry[]>
  nameOf(entry: BackupEntry): string
  /** Makes it, or changes the one that is there. What is wrong with the entry is thrown. */
  write?(entry: BackupEntry, found: BackupEntry | undefined, principal: Principal): Promise<unknown>
  /** Without `write`: why it cannot come from a backup, and the next step. */
  readonly why?: string
  /** Fields that need a secret which only a person has. */
  needs?(entry: BackupEntry, found: BackupEntry | undefined): readonly string[]
}

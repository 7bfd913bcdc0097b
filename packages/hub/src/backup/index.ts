export { Backups } from './backups.ts'
export type { BackupEntry, BackupPart } from './backup-part.ts'

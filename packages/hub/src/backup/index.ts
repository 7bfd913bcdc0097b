export { Backups } from './backup-desk.ts'
export type { BackupEntry, BackupPart } from './backup-part.ts'

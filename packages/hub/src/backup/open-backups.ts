import { backupParts } from './parts.ts'
import type { BackupSources } from './sources.ts'
import { Backups } from './index.ts'
import { hubInfo } from '../downstream/index.ts'
import { mask, type Redactor } from '../secret/index.ts'

export function openBackups(sources: BackupSources, redactor: Redactor): Backups {
  return new Backups({
    version: hubInfo.version,
    parts: backupParts(sources),
    mask,
    redactValue: (value) => redactor.redactValue(value, { byName: false }),
  })
}

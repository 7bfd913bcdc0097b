import { Backup, RestoreReport, RestoreRequest } from '../backup.ts'
import type { ApiOperation } from './operation.ts'

const restoreLimitBytes = 67_108_864

export const backupOperations = {
  writeBackup: {
    method: 'GET',
    path: '/api/backup',
    role: 'owner',
    summary: 'Everything that configures the hub, as one JSON file without secrets.',
    responses: { 200: { description: 'The file.', schema: Backup } },
  },
  restoreBackup: {
    method: 'POST',
    path: '/api/backup/restore',
    role: 'owner',
    summary: 'Puts a backup back, entry by entry, or says what that would do. Nothing is removed.',
    body: RestoreRequest,
    bodyLimitBytes: restoreLimitBytes,
    responses: { 200: { description: 'What became of each entry.', schema: RestoreReport } },
  },
} as const satisfies Record<string, ApiOperation>

import { Backup, RestoreReport, RestoreRequest } from '@herma/contract'
import { defineRoute, type Route } from '../platform/http/index.ts'
import type { BackupService } from './backup-desk.ts'

const restoreLimitBytes = 67_108_864

export function backupRoutes(backups: BackupService): Route[] {
  return [
    defineRoute({
      id: 'writeBackup',
      method: 'GET',
      path: '/api/backup',
      summary: 'Everything that configures the hub, as one JSON file without secrets.',
      responses: { 200: { description: 'The file.', schema: Backup } },
      handle: async () => {
        const backup = await backups.write()
        const name = `herma-backup-${backup.createdAt.slice(0, 10)}.json`
        return {
          status: 200,
          file: { name, type: 'application/json', text: `${JSON.stringify(backup, null, 2)}\n` },
        }
      },
    }),
    defineRoute({
      id: 'restoreBackup',
      method: 'POST',
      path: '/api/backup/restore',
      summary: 'Puts a backup back, entry by entry, or says what that would do. Nothing is removed.',
      body: RestoreRequest,
      bodyLimitBytes: restoreLimitBytes,
      responses: { 200: { description: 'What became of each entry.', schema: RestoreReport } },
      handle: async ({ body, principal }) => ({ status: 200, body: await backups.restore(body, principal) }),
    }),
  ]
}

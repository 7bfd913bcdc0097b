import { backupOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../platform/http/index.ts'
import type { Backups } from './backups.ts'

export function backupApi(backups: Backups): Route[] {
  return serve(backupOperations, {
    writeBackup: async () => {
      const backup = await backups.write()
      const name = `herma-backup-${backup.createdAt.slice(0, 10)}.json`
      const text = `${JSON.stringify(backup, null, 2)}\n`
      return new Reply(backup, { file: { name, type: 'application/json', text } })
    },
    restoreBackup: ({ body, principal }) => backups.restore(body, principal),
  })
}

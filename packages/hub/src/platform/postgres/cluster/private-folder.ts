import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { HubError } from '@herma/contract/plain'
import type { ServerUser } from './server-user.ts'

/** Creates a folder that only the server's user may enter; throws when it is there but belongs to somebody else. */
export async function ensurePrivateFolder(path: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(path)
  const uid = user?.uid ?? process.getuid?.()
  if (!found.isDirectory()) throw refused(path, 'is not a folder')
  // Root made it just now, or was killed before it could give it away.
  if (user && found.uid === 0) await chown(path, user.uid, user.gid)
  else if (found.uid !== uid) throw refused(path, `belongs to the user with uid ${found.uid}`)
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700)
}

function refused(path: string, reason: string): HubError {
  return new HubError(
    'STORE_UNAVAILABLE',
    `${path} ${reason}, and the embedded store needs it as a private folder of its own user. ` +
      'Start Herma as that user, or set HERMA_STATE_HOME to another folder.',
  )
}

import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HubError } from '@herma/contract/plain'

/** The user that the server runs under when this process is root. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
  readonly spawnOptions: { readonly uid: number; readonly gid: number }
}

/**
 * PostgreSQL refuses to run as root, so root runs it as the owner of an existing folder, else as nobody.
 * Undefined for everybody else: the server then runs as the user of this process.
 */
export async function chooseServerUser(folder: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const nobody = process.platform === 'darwin' ? 4_294_967_294 : 65_534
  const { uid, gid } = owner && owner.uid !== 0 ? owner : { uid: nobody, gid: nobody }
  // spawn takes signed numbers, and nobody is -2 on macOS.
  return { uid, gid, spawnOptions: { uid: uid | 0, gid: gid | 0 } }
}

/** Throws, naming the folder, when the user cannot get through to this path. */
export async function requirePassage(path: string, user: ServerUser): Promise<void> {
  const closed = await findClosedFolder(path, user)
  if (closed === undefined) return
  throw new HubError(
    'STORE_UNAVAILABLE',
    `PostgreSQL does not run as root, and the user that it runs under (uid ${user.uid}) cannot enter ${closed}. ` +
      `Allow it with: chmod o+x '${closed}'. Or set HERMA_STATE_HOME to a folder such as /var/lib/herma.`,
  )
}

/** The topmost folder on the way to this path, itself included, that the user may not enter. */
export async function findClosedFolder(path: string, user: ServerUser): Promise<string | undefined> {
  const parent = dirname(path)
  if (parent !== path) {
    const closed = await findClosedFolder(parent, user)
    if (closed !== undefined) return closed
  }
  const { uid, gid, mode } = await stat(path)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  return (mode & bit) === 0 ? path : undefined
}

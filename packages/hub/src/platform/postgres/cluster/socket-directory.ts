import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePrivateFolder } from './private-folder.ts'
import { findClosedFolder, type ServerUser } from './server-user.ts'

/** With unix sockets the port is only a part of the socket's name. */
export const socketPort = 5432

// The kernel's limit, without the final zero.
const maxPathBytes = process.platform === 'darwin' ? 103 : 107

/** The folder itself, or a short one in the temporary folder when a socket's path would be too long for the kernel. */
export async function chooseSocketDirectory(folder: string, user: ServerUser | undefined): Promise<string> {
  if (isShortEnough(folder)) return folder
  // The same state home always gets the same folder; a server that is still running tells its own.
  const name = `herma-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
  const directory = join(await chooseTemporaryFolder(name, user), name)
  await ensurePrivateFolder(directory, user)
  return directory
}

async function chooseTemporaryFolder(name: string, user: ServerUser | undefined): Promise<string> {
  const preferred = await realpath(tmpdir())
  const isReachable = !user || !(await findClosedFolder(preferred, user))
  return isReachable && isShortEnough(join(preferred, name)) ? preferred : '/tmp'
}

function isShortEnough(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= maxPathBytes
}

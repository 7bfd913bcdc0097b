import { constants } from 'node:fs'
import { lchown, mkdir, open, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises'

/** Everything that a commit changes goes through here, so that a test can stop it between any two steps. */
export interface Disk {
  /** Makes a file that must not be there yet; when it returns, the content lasts. */
  create(path: string, file: NewFile): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** A file that is not there is fine. */
  remove(path: string): Promise<void>
  /** A folder that is there is fine. */
  makeFolder(path: string, owner: Owner): Promise<void>
  /** A folder that is not empty stays. */
  removeFolder(path: string): Promise<void>
  /** What happened to the names in a folder lasts. */
  sync(folder: FileHandle): Promise<void>
}

export interface NewFile {
  readonly bytes: Uint8Array
  /** Permission bits; null = the usual ones of this process. */
  readonly mode: number | null
  readonly owner?: Owner | undefined
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

export const localDisk: Disk = {
  async create(path, file) {
    await createFile(path, file, (handle) => handle.sync())
  },
  rename,
  remove: (path) => unlink(path).catch(unless('ENOENT')),
  async makeFolder(path, { uid, gid }) {
    await mkdir(path).catch(unless('EEXIST'))
    // A hub that runs as root works in the folders of people, who want to use what it makes.
    if (process.getuid?.() === 0) await lchown(path, uid, gid)
  },
  removeFolder: (path) => rmdir(path).catch(unless('ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')),
  // Some network file systems cannot; their names last, or not, without us.
  sync: (folder) => folder.sync().catch(unless('EINVAL', 'ENOTSUP')),
}

export async function createFile(
  path: string,
  { bytes, mode, owner }: NewFile,
  sync: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(path, createFlags, mode ?? 0o666)
  try {
    if (owner !== undefined) await keepOwner(handle, owner)
    // The mask of the process took away what the file had.
    if (mode !== null) await handle.chmod(mode)
    await handle.writeFile(bytes)
    await sync(handle)
  } finally {
    await handle.close()
  }
}

async function keepOwner(handle: FileHandle, owner: Owner): Promise<void> {
  if (owner.uid === process.geteuid?.() && owner.gid === process.getegid?.()) return
  // Only root may give files away. Somebody else's file that we may replace becomes ours, as with any editor.
  await handle.chown(owner.uid, owner.gid).catch(unless('EPERM'))
}

function unless(...codes: string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}

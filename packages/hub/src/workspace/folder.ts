// A folder that is held by a descriptor stays the same one, whatever somebody does to its path meanwhile. Linux has names
// for what is in it (`/proc/self/fd/N/name`), so a walk from the root that follows no link cannot be led away. Elsewhere
// the walk goes by paths, and `check` compares every step with what was opened: a swap is noticed, after the fact for
// what was opened and before the fact for what is renamed or removed, but for a window of one system call.
import { constants, existsSync, type BigIntStats } from 'node:fs'
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

export interface Folder {
  readonly handle: FileHandle
  /** What to hand to the file system for a name in this folder. */
  at(name: string): string
  /** Opens a folder in this one; throws for a link, also one to a folder. */
  enter(name: string): Promise<Folder>
  /** Throws when the path does not lead here any more; says nothing where descriptors make that impossible. */
  check(): Promise<void>
  close(): Promise<void>
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
export const hasDescriptorNames = existsSync('/proc/self/fd')

/** Opens the folder that these names lead to, one after the other, from a real root. The caller closes it. */
export async function openFolder(
  root: string,
  names: readonly string[],
  hasNames: boolean = hasDescriptorNames,
): Promise<Folder> {
  let folder = hasNames ? await openRoot(root) : await openByPath(root, async () => {})
  for (const name of names) {
    const parent = folder
    try {
      folder = await parent.enter(name)
    } finally {
      await parent.close()
    }
  }
  return folder
}

/** The path of what a descriptor holds, asked from the kernel. */
export async function pathOfHandle(handle: FileHandle): Promise<string> {
  return await readlink(`/proc/self/fd/${handle.fd}`)
}

async function openRoot(root: string): Promise<Folder> {
  const handle = await open(root, folderFlags)
  // The root itself is refused links by its flags, the folders above it by this.
  if ((await pathOfHandle(handle)) === root) return byDescriptor(handle)
  await handle.close()
  throw moved(root)
}

function byDescriptor(handle: FileHandle): Folder {
  const at = (name: string) => `/proc/self/fd/${handle.fd}/${name}`
  return {
    handle,
    at,
    enter: async (name) => byDescriptor(await open(at(requireName(name)), folderFlags)),
    check: async () => {},
    close: () => handle.close(),
  }
}

async function openByPath(path: string, checkParent: () => Promise<void>): Promise<Folder> {
  const handle = await open(path, folderFlags)
  const opened = await handle.stat({ bigint: true })
  const check = async () => {
    await checkParent()
    if (!isSameFile(opened, await lstat(path, { bigint: true }))) throw moved(path)
  }
  try {
    await check()
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    handle,
    at: (name) => join(path, name),
    enter: (name) => openByPath(join(path, requireName(name)), check),
    check,
    close: () => handle.close(),
  }
}

export function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino
}

function requireName(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
    throw new Error(`'${name}' is not a name of one file.`)
  }
  return name
}

function moved(path: string): Error {
  return Object.assign(new Error(`'${path}' was moved or replaced by a link.`), { code: 'ELOOP' })
}

import { constants } from 'node:fs'
import { copyFile, open, type FileHandle } from 'node:fs/promises'
import { hasDescriptorNames } from '../folder.ts'

/** How a file was when it was copied; what changes it changes this too, whatever time it pretends. */
export interface FileVersion {
  readonly size: number
  readonly changedAt: bigint
  readonly inode: bigint
}

export interface CopyOptions {
  readonly from: string
  readonly to: string
  /** Files of dependencies share their content with a store; others with two names may lead outside. */
  readonly allowHardLinks: boolean
  /** False = there is no room for it. */
  take(bytes: number): boolean
}

export type CopyOutcome = { readonly version: FileVersion } | 'special' | 'no-room' | 'gone'

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

/** Copies an ordinary file with its permissions. What was opened is what is copied: no link can come in between. */
export async function copyOneFile({ from, to, allowHardLinks, take }: CopyOptions): Promise<CopyOutcome> {
  let file: FileHandle
  try {
    file = await open(from, flags)
  } catch {
    // Removed, made a link since we looked, or not for us to read.
    return 'gone'
  }
  try {
    const entry = await file.stat({ bigint: true })
    if (!entry.isFile() || (entry.nlink > 1n && !allowHardLinks)) return 'special'
    if (!take(Number(entry.size))) return 'no-room'
    await copyOpened(file, to, Number(entry.mode & 0o777n))
    return { version: toVersion(entry) }
  } finally {
    await file.close()
  }
}

export function toVersion(entry: { size: bigint; ctimeNs: bigint; ino: bigint }): FileVersion {
  return { size: Number(entry.size), changedAt: entry.ctimeNs, inode: entry.ino }
}

export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  return a.size === b.size && a.changedAt === b.changedAt && a.inode === b.inode
}

async function copyOpened(file: FileHandle, to: string, mode: number): Promise<void> {
  if (hasDescriptorNames) {
    // By the name of the descriptor, so that file systems that can share the blocks do.
    await copyFile(`/proc/self/fd/${file.fd}`, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return
  }
  const target = await open(to, 'wx', mode)
  try {
    const buffer = Buffer.allocUnsafe(256 * 1024)
    for (let at = 0; ;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      await target.writeFile(buffer.subarray(0, bytesRead))
      at += bytesRead
    }
  } finally {
    await target.close()
  }
}

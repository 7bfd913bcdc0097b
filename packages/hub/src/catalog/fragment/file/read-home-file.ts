import { constants } from 'node:fs'
import { type FileHandle, open, lstat, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { maxFileBytes } from '../json/parse-json-file.ts'

export type HomeFile = { readonly bytes: Buffer } | { readonly problem: string } | { readonly isAbsent: true }

/**
 * Reads a file of the config home, and nothing else: links that lead out of it, pipes and devices are refused, and no
 * more than the allowed size is ever in memory.
 */
export async function readHomeFile(configHome: string, file: string): Promise<HomeFile> {
  const path = join(configHome, file)
  let handle: FileHandle | undefined
  try {
    const real = await realpath(path)
    const home = await realpath(configHome)
    if (!real.startsWith(home.endsWith(sep) ? home : home + sep)) {
      return { problem: 'It is a link that leaves the config home. Copy the file into it.' }
    }
    // The last name is no link any more, and opening a pipe must not wait for its other end.
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await handle.stat()
    if (!stats.isFile()) return { problem: 'It is no regular file.' }
    if (stats.size > maxFileBytes) return { problem: tooLarge }
    const bytes = await readAtMost(handle, maxFileBytes + 1)
    return bytes.length > maxFileBytes ? { problem: tooLarge } : { bytes }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return { problem: `It cannot be read: ${message}.` }
    const isLink = await lstat(path).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    )
    return isLink ? { problem: 'It is a link that leads nowhere.' } : { isAbsent: true }
  } finally {
    await handle?.close()
  }
}

const tooLarge = `It is larger than ${maxFileBytes / 1024 / 1024} MiB. Split it.`

/** A file can grow while it is read. */
async function readAtMost(handle: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  while (total < limit) {
    const chunk = Buffer.allocUnsafe(Math.min(64 * 1024, limit - total))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length)
    if (bytesRead === 0) break
    chunks.push(chunk.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(chunks)
}

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Reads an ordinary file of up to so many bytes; null when it is missing, larger or something else. A link is not
 * followed, and a pipe that nobody writes into does not hold us up.
 */
export async function readWhole(path: string, maxBytes: number): Promise<Buffer | null> {
  let file
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // Missing, a link, or not for us: there is nothing to read.
    return null
  }
  try {
    const entry = await file.stat()
    if (!entry.isFile() || entry.size > maxBytes) return null
    const buffer = Buffer.alloc(entry.size)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const maxBytes = 1_048_576
const keptBytes = 262_144

/** Where the next line of the log will begin, to tell later what the server said since. */
export async function findLogEnd(path: string): Promise<number> {
  const file = await open(path, constants.O_RDONLY | constants.O_CREAT, 0o600)
  try {
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

/** The lines from a position on, at most the last 64 kB of them. */
export async function readLogSince(path: string, position: number): Promise<string[]> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const start = Math.max(Math.min(position, size), size - 65_536)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start })
    return buffer.subarray(0, bytesRead).toString().split('\n')
  } finally {
    await file.close()
  }
}

/** Drops the oldest lines of a log that has grown too big. The server appends, so it goes on at the new end. */
export async function capLog(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600)
  try {
    const { size } = await file.stat()
    if (size <= maxBytes) return
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(keptBytes), position: size - keptBytes })
    await file.truncate(0)
    await file.write(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

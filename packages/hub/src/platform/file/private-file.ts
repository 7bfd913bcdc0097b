import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HubError } from '@herma/contract/plain'

/** Null when there is none. Throws when others than its owner may read it. Of a longer file `maxBytes` + 1 are read. */
export async function readPrivateFile(path: string, maxBytes: number): Promise<Buffer | null> {
  let file
  try {
    file = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw failure('read', path, error)
  }
  try {
    const { mode } = await file.stat()
    if ((mode & 0o077) !== 0)
      throw new HubError('STORE_UNAVAILABLE', `Others may read ${path}. Close it with: chmod 600 '${path}'`)
    // One byte more than expected tells a file that is too long, whatever its size.
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes + 1), position: 0 })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The file appears under its name complete and synced, or not at all; of two writers the first one wins. */
export async function createPrivateFile(path: string, content: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    await throughDraft(path, content, (draft) => link(draft, path))
    return content
  } catch (error) {
    const existing = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readPrivateFile(path, maxBytes) : null
    if (existing !== null) return existing
    throw failure('created', path, error)
  }
}

/** Replaces the file in one step: a reader finds the old content or the new one. */
export async function replacePrivateFile(path: string, content: Buffer): Promise<void> {
  try {
    await throughDraft(path, content, (draft) => rename(draft, path))
  } catch (error) {
    throw failure('replaced', path, error)
  }
}

/** Takes the place of another file in one step that lasts. */
export async function movePrivateFile(path: string, to: string): Promise<void> {
  try {
    await rename(path, to)
    await syncDirectory(dirname(to))
  } catch (error) {
    throw failure('replaced', to, error)
  }
}

async function throughDraft(path: string, content: Buffer, place: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeSynced(draft, content)
    await place(draft)
    await syncDirectory(dirname(path))
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeSynced(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function failure(what: string, path: string, cause: unknown): HubError {
  return new HubError('STORE_UNAVAILABLE', `${path} cannot be ${what}: ${(cause as Error).message}`, { cause })
}

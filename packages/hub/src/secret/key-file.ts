import { randomBytes } from 'node:crypto'
import { link, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HubError } from '@herma/contract'

export interface KeyFile {
  readonly path: string
  /** Null when the file is there but does not hold a key; then `problem` says why. */
  readonly key: Buffer | null
  readonly problem: string | null
}

const keyBytes = 32

/** Reads `<stateHome>/key`, created on first use. Throws when others than its owner may read it. */
export async function readKeyFile(stateHome: string): Promise<KeyFile> {
  const path = join(stateHome, 'key')
  const content = (await readPrivateFile(path)) ?? (await createKey(path))
  if (content.length === keyBytes) return { path, key: content, problem: null }
  const problem =
    `The key file ${path} holds ${content.length} bytes instead of ${keyBytes}. ` +
    'Put back the right one, or remove it to start with a new key and enter the secrets again.'
  return { path, key: null, problem }
}

async function readPrivateFile(path: string): Promise<Buffer | null> {
  let file
  try {
    file = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new HubError('STORE_UNAVAILABLE', `The key file cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
  try {
    const { mode } = await file.stat()
    if ((mode & 0o077) !== 0) {
      throw new HubError(
        'STORE_UNAVAILABLE',
        `Others may read the key file ${path}. Close it with: chmod 600 '${path}'`,
      )
    }
    // One byte more than a key tells a file that is too long, whatever its size.
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(keyBytes + 1), position: 0 })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

// The key appears under its name complete and synced, or not at all; of two hubs the first one's key wins.
async function createKey(path: string): Promise<Buffer> {
  const key = randomBytes(keyBytes)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeSynced(draft, key)
    await link(draft, path)
    await syncDirectory(dirname(path))
    return key
  } catch (error) {
    const existing = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readPrivateFile(path) : null
    if (existing) return existing
    throw new HubError('STORE_UNAVAILABLE', `The key file cannot be created: ${(error as Error).message}`, {
      cause: error,
    })
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

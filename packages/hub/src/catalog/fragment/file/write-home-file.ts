import { randomBytes } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HubError } from '@herma/contract'

/**
 * Replaces a file of the config home in one step: whoever reads it finds the old content or the new one. It keeps its
 * mode, and a link stays a link. The draft has a name that is not read as a fragment.
 */
export async function writeHomeFile(configHome: string, file: string, content: Buffer): Promise<void> {
  const named = join(configHome, file)
  try {
    await mkdir(dirname(named), { recursive: true })
    const path = await realPathOf(named)
    const mode = await stat(path).then(
      (stats) => stats.mode & 0o777,
      () => undefined,
    )
    const draft = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await writeSynced(draft, content, mode)
      await rename(draft, path)
    } finally {
      await rm(draft, { force: true })
    }
  } catch (cause) {
    const message = `${named} cannot be written: ${(cause as Error).message}. Make the folder writable for the hub.`
    throw new HubError('STORE_UNAVAILABLE', message, { cause })
  }
}

async function writeSynced(path: string, content: Buffer, mode: number | undefined): Promise<void> {
  const handle = await open(path, 'wx', mode ?? 0o644)
  try {
    // What a new file may have is cut by the umask; what the old one had is not.
    if (mode !== undefined) await handle.chmod(mode)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A file that is not there yet stays where it is named. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
}

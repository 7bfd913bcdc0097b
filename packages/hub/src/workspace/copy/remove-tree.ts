import { randomUUID } from 'node:crypto'
import { chmod, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../platform/log.ts'

/** Shorter than the longest path of any system by more than the longest name. */
const maxPathLength = 700

/**
 * Removes a folder with everything in it, also what is in folders that nobody may write, or too deep to have a path.
 * Links are not followed.
 */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    // It rejects at the first failure while it still removes elsewhere, so anything may be gone by now.
    await openFolders(folder, folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** The same for what the next start removes otherwise: what keeps us from it must not spoil what was done before. */
export async function removeTreeOrLog(folder: string, log: Log): Promise<void> {
  await removeTree(folder).catch((error: unknown) => log.warn('a folder could not be removed yet', { folder, error }))
}

/** Removes everything that an earlier hub left in a folder. */
export async function sweepFolder(folder: string, log: Log): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) await removeTreeOrLog(join(folder, name), log)
}

// Caches of Go and others protect themselves by read-only folders, which hold on to their files. And a program that goes
// down step by step gets deeper than any path leads; such folders are brought up.
async function openFolders(folder: string, top: string): Promise<void> {
  await chmod(folder, 0o700).catch(passIfGone)
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(passIfGone)) ?? []) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    const isDeep = Buffer.byteLength(path) > maxPathLength && folder !== top
    const reachable = isDeep ? join(top, randomUUID()) : path
    if (isDeep) await lift(path, reachable)
    await openFolders(reachable, top)
  }
}

async function lift(path: string, to: string): Promise<void> {
  // Whoever may not write a folder may not move it either.
  await chmod(path, 0o700).catch(passIfGone)
  await rename(path, to).catch(passIfGone)
}

function passIfGone(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

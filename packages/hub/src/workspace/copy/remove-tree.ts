import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a folder with everything in it, also what is in folders that nobody may write. Links are not followed. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    // Caches of Go and others protect themselves by read-only folders, which hold on to their files.
    await openFolders(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name))
  }
}

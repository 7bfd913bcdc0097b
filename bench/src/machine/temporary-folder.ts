import { rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

/** A fresh folder that any user may enter, since a database started by root runs as another user. */
export async function makeTemporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `bench-${name}-`))
  folders.add(folder)
  await chmod(folder, 0o755)
  return folder
}

export async function removeTemporaryFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  folders.delete(folder)
}

// An interrupted run leaves nothing behind either.
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

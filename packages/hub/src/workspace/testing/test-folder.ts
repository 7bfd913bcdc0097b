import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createLog } from '../../platform/log.ts'
import { createTemporaryHome } from '../../platform/testing/temporary-home.ts'

export const silentLog = createLog('silent')

/** A folder with these files, which ends with the test. */
export async function makeTestFolder(files: Record<string, string> = {}): Promise<string> {
  const home = await createTemporaryHome()
  onTestFinished(() => home.remove())
  await writeTree(home.path, files)
  return home.path
}

export async function writeTree(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
    if (path.endsWith('.sh')) await chmod(join(folder, path), 0o750)
  }
}

/** Every file of a folder with its content, and with its permissions where they are not the usual ones. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = await Promise.all(
    entries
      .filter((entry) => !entry.isDirectory())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        const isScript = ((await stat(path)).mode & 0o777) === 0o750
        return [path.slice(folder.length + 1), (isScript ? '#!' : '') + (await readFile(path, 'utf8'))] as const
      }),
  )
  return Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory())
  return folders.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted()
}

import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BundleFile } from '../bundle/read-bundle.ts'

/** Writes the files of a bundle, its catalog fragment last: whoever sees that sees the rest too. */
export async function writeBundleFiles(folder: string, files: readonly BundleFile[]): Promise<string[]> {
  const ordered = files.toSorted((a, b) => Number(a.path === 'catalog.json') - Number(b.path === 'catalog.json'))
  const written: string[] = []
  for (const { path, bytes } of ordered) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    // A hidden name until it is complete, so that nobody reads half a file.
    const draft = join(dirname(file), `.${process.pid}.draft`)
    await writeFile(draft, bytes)
    await rename(draft, file)
    written.push(file)
  }
  return written
}

/** Removes files, and the folders that are empty without them, up to and with the folder of the bundle. */
export async function removeBundleFiles(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { force: true })
  const folders = new Set(files.flatMap((file) => foldersUpTo(folder, dirname(file))))
  folders.add(folder)
  for (const each of [...folders].toSorted((a, b) => b.length - a.length)) {
    await rmdir(each).catch((error: NodeJS.ErrnoException) => {
      // What holds something else stays; what is gone is gone.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
    })
  }
}

function foldersUpTo(top: string, folder: string): string[] {
  return folder.length > top.length && folder.startsWith(top) ? [folder, ...foldersUpTo(top, dirname(folder))] : []
}

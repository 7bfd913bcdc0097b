import { type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FragmentView } from '@herma/contract'

/** More files than this are a mistake, and would make every edit slow. */
export const maxFiles = 500

/** A file that may be part of the catalog. */
export interface FragmentFile {
  /** Relative to the config home, with `/`. */
  readonly file: string
  readonly kind: FragmentView['kind']
  readonly name: string
  /** A bundle may have no fragment; a file of `catalog/` that is gone was there a moment ago. */
  readonly isOptional: boolean
}

export interface FragmentFileList {
  readonly files: readonly FragmentFile[]
  /** Folders that could not be read, and files beyond the limit. */
  readonly problems: readonly { readonly file: string; readonly kind: FragmentView['kind']; readonly message: string }[]
}

/** Lists the files of a config home in the order in which they apply. */
export async function listFragmentFiles(configHome: string): Promise<FragmentFileList> {
  const problems: { file: string; kind: FragmentView['kind']; message: string }[] = []
  const namesIn = async (folder: 'bundles' | 'catalog', isWanted: (entry: Dirent) => boolean): Promise<string[]> => {
    try {
      const entries = await readdir(join(configHome, folder), { withFileTypes: true })
      // Editors keep hidden files beside those they edit.
      return entries
        .filter((entry) => !entry.name.startsWith('.') && isWanted(entry))
        .map(({ name }) => name)
        .sort()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const kind = folder === 'bundles' ? 'bundle' : 'catalog'
      if (code !== 'ENOENT') problems.push({ file: folder, kind, message: `The folder cannot be read: ${message}.` })
      return []
    }
  }
  const bundles = await namesIn('bundles', (entry) => entry.isDirectory() || entry.isSymbolicLink())
  const catalogs = await namesIn('catalog', (entry) => entry.name.endsWith('.json') && !entry.isDirectory())
  const files: FragmentFile[] = [
    ...bundles.map((name): FragmentFile => ({
      file: `bundles/${name}/catalog.json`,
      kind: 'bundle',
      name,
      isOptional: true,
    })),
    ...catalogs.map((name): FragmentFile => ({
      file: `catalog/${name}`,
      kind: 'catalog',
      name: name.slice(0, -'.json'.length),
      isOptional: false,
    })),
  ]
  const surplus = files.splice(maxFiles)
  if (surplus[0] !== undefined) {
    const message = `Only ${maxFiles} files are read; ${surplus.length} are left out, from this one on. Join some.`
    problems.push({ file: surplus[0].file, kind: surplus[0].kind, message })
  }
  files.push({ file: 'custom_tools.json', kind: 'custom-tools', name: 'custom_tools', isOptional: true })
  return { files, problems }
}

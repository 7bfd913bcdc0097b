import { embeddedDefaults } from './embedded-defaults.ts'
import type { FragmentFolders } from './fill-placeholders.ts'
import { listFragmentFiles } from './file/fragment-files.ts'
import { digestOf, disabledFile, type FileIdentity, loadFragmentFile } from './load-fragment-file.ts'
import { type LoadedFragment, loadedWithoutFile, noteWithoutLine } from './loaded-fragment.ts'
import { readHomeFile } from './file/read-home-file.ts'

/** All files together; each of them is in memory while its fragment is in use. */
const maxTotalBytes = 64 * 1024 * 1024

/**
 * Reads every file of the catalog in the order in which they apply: the embedded defaults, `bundles/*\/catalog.json` by
 * folder, `catalog/*.json` by name, `custom_tools.json`. A file with a fault takes no part and says why. A file whose
 * bytes are those of the last time is not parsed again.
 */
export async function readFragments(
  folders: FragmentFolders,
  lastTime: readonly LoadedFragment[] = [],
): Promise<LoadedFragment[]> {
  const known = new Map(lastTime.map((each) => [each.view.file, each]))
  const loaded = [loadedWithoutFile('defaults', embeddedDefaults)]
  const { files, problems } = await listFragmentFiles(folders.configHome)
  let totalBytes = 0
  for (const file of files) {
    const read = await readHomeFile(folders.configHome, file.file)
    if ('isAbsent' in read) {
      if (!file.isOptional) loaded.push(withoutLine(file, 'It vanished while it was read.'))
    } else if ('problem' in read) loaded.push(withoutLine(file, read.problem))
    else if ((totalBytes += read.bytes.length) > maxTotalBytes) {
      const size = `${maxTotalBytes / 1024 / 1024} MiB`
      loaded.push(withoutLine(file, `All files up to this one are larger than ${size}. Remove some.`))
    } else {
      const before = known.get(file.file)
      const isSame = before !== undefined && before.digest === digestOf(read.bytes)
      loaded.push(isSame ? before : loadFragmentFile(file, read.bytes, folders))
    }
  }
  return [...loaded, ...problems.map(({ file, kind, message }) => withoutLine({ file, kind, name: file }, message))]
}

function withoutLine(file: FileIdentity, message: string): LoadedFragment {
  return disabledFile(file, [noteWithoutLine([], message)])
}

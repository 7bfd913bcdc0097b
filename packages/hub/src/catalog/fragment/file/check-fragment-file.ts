import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { FragmentView } from '@herma/contract'
import type { FragmentFolders } from '../fill-placeholders.ts'
import { disabledFile, loadFragmentFile } from '../load-fragment-file.ts'
import { noteWithoutLine } from '../loaded-fragment.ts'
import { readHomeFile } from './read-home-file.ts'

/** Reads a file as the catalog would, wherever it lies. Its name says what it is. */
export async function checkFragmentFile(path: string, folders: FragmentFolders): Promise<FragmentView> {
  const isCustomTools = basename(path) === 'custom_tools.json'
  const file = {
    file: path,
    kind: isCustomTools ? ('custom-tools' as const) : ('catalog' as const),
    name: basename(path, '.json'),
  }
  const refused = (message: string) => disabledFile(file, [noteWithoutLine([], message)]).view
  let real: string
  try {
    real = await realpath(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return refused(code === 'ENOENT' ? 'There is no such file.' : `It cannot be read: ${message}.`)
  }
  const read = await readHomeFile(dirname(real), basename(real))
  if ('isAbsent' in read) return refused('It vanished while it was read.')
  return 'problem' in read ? refused(read.problem) : loadFragmentFile(file, read.bytes, folders).view
}

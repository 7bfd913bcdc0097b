import { createHash } from 'node:crypto'
import type { FileNote, FragmentView } from '@herma/contract'
import type { FragmentFolders } from './fill-placeholders.ts'
import { type LoadedFragment, noteWithoutLine } from './loaded-fragment.ts'
import { parseJsonFile } from './json/parse-json-file.ts'
import { readCustomTools } from './read-custom-tools.ts'
import { readFragment } from './read-fragment.ts'

export type FileIdentity = Pick<FragmentView, 'file' | 'kind' | 'name'>

/** Makes a layer of the catalog out of the bytes of a file. */
export function loadFragmentFile(file: FileIdentity, bytes: Buffer, folders: FragmentFolders): LoadedFragment {
  const digest = digestOf(bytes)
  const parsed = parseJsonFile(bytes)
  if ('errors' in parsed) return { ...disabledFile(file, parsed.errors), digest }
  const { document } = parsed
  if (file.kind === 'custom-tools') {
    const { customTools, errors } = readCustomTools(document)
    return { view: viewOf(file, errors, []), fragment: null, customTools, note: document.note, digest }
  }
  const { fragment, errors, differences, note } = readFragment(document, folders)
  const view = viewOf({ ...file, name: fragment?.name ?? file.name }, errors, differences)
  return { view, fragment, customTools: [], note, digest }
}

/** A file that takes no part, with the reasons. */
export function disabledFile(file: FileIdentity, errors: readonly FileNote[]): LoadedFragment {
  return { view: viewOf(file, errors, []), fragment: null, customTools: [], note: noteWithoutLine, digest: '' }
}

export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64')
}

function viewOf(
  { file, kind, name }: FileIdentity,
  errors: readonly FileNote[],
  differences: readonly FileNote[],
): FragmentView {
  return { file, kind, name, isEnabled: errors.length === 0, errors: [...errors], differences: [...differences] }
}

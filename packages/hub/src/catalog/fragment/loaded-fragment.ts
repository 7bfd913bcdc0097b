import type { CatalogFragment, CustomTool, FileNote, FragmentView } from '@herma/contract'
import { formatPath, type JsonPath } from './json/json-path.ts'

/** One layer of the catalog, as it was found. */
export interface LoadedFragment {
  readonly view: FragmentView
  /** Null when the file has errors, and for `custom_tools.json`. */
  readonly fragment: CatalogFragment | null
  readonly customTools: readonly CustomTool[]
  /** A note at a path of the fragment, shown where people wrote it. */
  note(path: JsonPath, message: string): FileNote
  /** Of the bytes of the file; empty when there are none. */
  readonly digest: string
}

/** A layer that is no file: the defaults, or what people changed in the database. */
export function loadedWithoutFile(kind: 'defaults' | 'database', fragment: CatalogFragment): LoadedFragment {
  const view = { file: `(${kind})`, kind, name: kind, isEnabled: true, errors: [], differences: [] }
  return { view, fragment, customTools: [], note: noteWithoutLine, digest: '' }
}

export function noteWithoutLine(path: JsonPath, message: string): FileNote {
  return { line: null, column: null, path: formatPath(path), message }
}

import { HubError, type CompositeInput, type FragmentView } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import type { FragmentFolders } from '../fill-placeholders.ts'
import { loadFragmentFile } from '../load-fragment-file.ts'
import type { LoadedFragment } from '../loaded-fragment.ts'
import { parseJsonFile } from '../json/parse-json-file.ts'
import { readHomeFile } from './read-home-file.ts'
import { writeHomeFile } from './write-home-file.ts'

/** The one fragment that Herma writes itself. Whatever else people put into it stays. */
export const compositeFile = 'catalog/herma.json'

export interface CompositeChange {
  /** The name that it has so far. */
  readonly name: string
  /** Null removes it. */
  readonly input: CompositeInput | null
}

type Document = Readonly<Record<string, unknown>>
type Named = Record<string, unknown> & { readonly name: string }

const lists = { aggregate: 'aggregations', pipeline: 'pipelines' } as const

/** Reads and writes the composites that people make through the API. */
export class CompositeFile {
  readonly #folders: FragmentFolders

  constructor(folders: FragmentFolders) {
    this.#folders = folders
  }

  /** What people wrote, by name; empty while the file cannot be read. */
  async definitions(): Promise<ReadonlyMap<string, Record<string, unknown>>> {
    const read = await readHomeFile(this.#folders.configHome, compositeFile)
    const parsed = 'bytes' in read ? parseJsonFile(read.bytes) : null
    if (parsed === null || 'errors' in parsed || !isObject(parsed.document.value)) return new Map()
    return new Map(definitionsOf(parsed.document.value).map((each) => [each.name, each]))
  }

  /** The file as it is. Throws when it has errors, for writing it would lose what people meant. */
  async read(): Promise<Document> {
    const read = await readHomeFile(this.#folders.configHome, compositeFile)
    if ('isAbsent' in read) return { schemaVersion: 1, name: 'herma' }
    if ('problem' in read) throw unusable(read.problem)
    const [error] = this.#load(read.bytes).errors
    if (error !== undefined) throw unusable(`${error.line === null ? '' : `Line ${error.line}: `}${error.message}`)
    return JSON.parse(read.bytes.toString('utf8')) as Document
  }

  async write(document: Document, change: CompositeChange): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(changed(document, change), null, 2)}\n`)
    const [error] = this.#load(bytes).errors
    if (error !== undefined) throw new HubError('CATALOG_INVALID', `${error.path}: ${error.message}`)
    await writeHomeFile(this.#folders.configHome, compositeFile, bytes)
  }

  #load(bytes: Buffer): FragmentView {
    return loadFragmentFile({ file: compositeFile, kind: 'catalog', name: 'herma' }, bytes, this.#folders).view
  }
}

/** Reads a definition as if it stood in a file of its own. */
export function loadDraft({ kind, definition }: CompositeInput, folders: FragmentFolders): LoadedFragment {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 1, [lists[kind]]: [definition] }))
  return loadFragmentFile({ file: compositeFile, kind: 'catalog', name: 'draft' }, bytes, folders)
}

export function listNames(document: Document): string[] {
  return definitionsOf(document).map(({ name }) => name)
}

/** The changed one keeps its place, unless it became something of the other kind. */
function changed(document: Document, { name, input }: CompositeChange): Document {
  const next: Record<string, unknown> = { ...document }
  const target = input === null ? undefined : lists[input.kind]
  for (const key of Object.values(lists)) {
    const list = listOf(document, key)
    const at = list.findIndex((each) => each.name === name)
    const added = key === target ? [input!.definition as unknown as Named] : []
    if (at >= 0) next[key] = list.toSpliced(at, 1, ...added)
    else if (added.length > 0) next[key] = [...list, ...added]
  }
  return next
}

function definitionsOf(document: Document): Named[] {
  return Object.values(lists).flatMap((key) => listOf(document, key))
}

function listOf(document: Document, key: string): Named[] {
  const list = document[key]
  const isNamed = (each: unknown): each is Named => isObject(each) && typeof each['name'] === 'string'
  return Array.isArray(list) ? list.filter(isNamed) : []
}

function unusable(problem: string): HubError {
  return new HubError(
    'CATALOG_INVALID',
    `${compositeFile}, where these are kept, has an error. ${problem} Mend the file first.`,
  )
}

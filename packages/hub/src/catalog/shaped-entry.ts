import type { ParamHeader } from '../wire/index.ts'
import type { CatalogSource } from './catalog-source.ts'
import type { OwnTool } from './own-tool.ts'

/**
 * A descriptor as clients see it, kept as bytes alone: ten thousand parsed ones would take several times the room of
 * their JSON. The bytes lie in a buffer that many share, in the end the page that is sent. Two slots can be filled anew
 * without parsing: the name, and where Herma says whose tool it is.
 */
export interface ShapedEntry {
  readonly source: CatalogSource
  /** Its name or URI at its server. */
  readonly original: string
  bytes: Buffer
  start: number
  end: number
  /** The JSON string of the name, with its quotes; of no length where names are not given by us. */
  nameStart: number
  nameEnd: number
  metaStart: number
  metaEnd: number
  readonly metaShape: MetaShape
}

/** How the slot of our metadata joins what the server has in `_meta`. */
export type MetaShape = 'alone' | 'first' | 'only'

export interface ShapedTool extends ShapedEntry {
  /** The name that it should have. */
  readonly wanted: string
  /** The name that it has; null while it is not listed. */
  name: string | null
  readonly paramHeaders: readonly ParamHeader[] | null
  /** Why clients do not see it; null when they do. */
  readonly hiddenBecause: string | null
  readonly tags: readonly string[]
  readonly isReadOnly: boolean
  readonly mayDestroy: boolean
  /** Changes when the descriptor does. */
  readonly fingerprint: string
  /** What its definition costs a model, in tokens. */
  readonly tokens: number
  /** Results that are still to be held against the output schema; 0 when there is none. */
  checksLeft: number
  /** Set when Herma runs it itself. */
  readonly own: OwnTool | null
}

type Entry = Readonly<Record<string, unknown>>

/** Writes a descriptor down and notes where its slots are. */
export function toBytes(descriptor: Entry, key: 'name' | null): Omit<ShapedEntry, 'source' | 'original'> {
  let text = '{'
  let at = 1
  let [nameStart, nameEnd] = [0, 0]
  let metaStart = -1
  let metaShape: MetaShape = 'alone'
  const add = (part: string) => {
    text += part
    at += Buffer.byteLength(part)
  }
  for (const [field, value] of Object.entries(descriptor)) {
    const json = JSON.stringify(value)
    if (json === undefined) continue
    add(`${text === '{' ? '' : ','}${JSON.stringify(field)}:`)
    if (field === key) [nameStart, nameEnd] = [at, at + Buffer.byteLength(json)]
    if (field === '_meta' && json.startsWith('{')) {
      metaStart = at + 1
      metaShape = json === '{}' ? 'only' : 'first'
    }
    add(json)
  }
  if (metaStart < 0) metaStart = at
  const bytes = Buffer.from(`${text}}`)
  return { bytes, start: 0, end: bytes.length, nameStart, nameEnd, metaStart, metaEnd: metaStart, metaShape }
}

/** The descriptor of an entry, parsed, without what Herma added. */
export function readEntry(entry: ShapedEntry): Record<string, unknown> {
  const { bytes, start, metaStart, metaEnd, end } = entry
  return JSON.parse(bytes.toString('utf8', start, metaStart) + bytes.toString('utf8', metaEnd, end)) as Record<
    string,
    unknown
  >
}

/** The text that fills the slot of our metadata. */
export function metaText(shape: MetaShape, value: object): string {
  const json = `"x-herma":${JSON.stringify(value)}`
  return shape === 'alone' ? `,"_meta":{${json}}` : shape === 'only' ? json : `${json},`
}

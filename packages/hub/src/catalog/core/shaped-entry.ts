import {
  isObject,
  listMembers,
  readJson,
  textOf,
  writeJson,
  type ParamHeader,
  type Descriptor,
} from '../../wire/index.ts'
import type { CatalogSource } from './catalog-source.ts'
import type { OwnTool } from './own-tool.ts'

/** Where in `_meta` Herma says whose tool it is. */
const ourKey = 'x-herma'

/** How the slot of our metadata joins what the server has in `_meta`. */
export type MetaShape = 'alone' | 'first' | 'only'

/**
 * A descriptor as clients see it, kept as bytes alone: ten thousand parsed ones would take several times the room of
 * their JSON. The bytes lie in a buffer that many share, in the end the page that is sent. Two slots can be filled anew
 * without parsing: the name, and where Herma says whose tool it is.
 */
export class ShapedEntry {
  readonly source: CatalogSource
  /** Its name or URI at its server. */
  readonly original: string
  /** The name that it should have. */
  readonly wanted: string
  /** A person gave it that name. */
  readonly isRenamed: boolean
  /** The name that it has; null while it is not listed. */
  name: string | null = null
  /** The bytes have the name and the metadata that belong there. */
  isWritten = false
  bytes: Buffer
  start = 0
  end: number
  /** The JSON string of the name, with its quotes; of no length where names are not given by us. */
  nameStart: number
  nameEnd: number
  metaStart: number
  metaEnd: number
  readonly metaShape: MetaShape

  constructor(source: CatalogSource, original: string, written: Written, naming: Naming = { wanted: original }) {
    this.source = source
    this.original = original
    this.wanted = naming.wanted
    this.isRenamed = naming.isRenamed === true
    this.bytes = written.bytes
    this.end = written.bytes.length
    this.nameStart = written.nameStart
    this.nameEnd = written.nameEnd
    this.metaStart = written.metaStart
    this.metaEnd = written.metaStart
    this.metaShape = written.metaShape
  }

  rename(name: string | null): void {
    if (name === this.name) return
    this.name = name
    this.isWritten = false
  }

  /** What belongs in the slot of our metadata. Made when it is written and not kept: it would add up. */
  meta(): string {
    return ''
  }
}

interface Naming {
  readonly wanted: string
  readonly isRenamed?: boolean
}

export interface ToolTraits extends Naming {
  readonly paramHeaders: readonly ParamHeader[] | null
  /** Why clients do not see it; null when they do. */
  readonly hiddenBecause: string | null
  /** Why nobody may call it, composites neither; null when it may be called. */
  readonly blockedBecause: string | null
  readonly tags: readonly string[]
  readonly isReadOnly: boolean
  readonly mayDestroy: boolean
  /** False where clients that know plain schemas only would refuse it, and the whole list with it. */
  readonly isPlain: boolean
  /** Changes when the descriptor does. */
  readonly fingerprint: string
  /** What its definition costs a model, in tokens. */
  readonly tokens: number
  /** Set when Herma runs it itself. */
  readonly own: OwnTool | null
}

export class ShapedTool extends ShapedEntry implements ToolTraits {
  readonly paramHeaders: readonly ParamHeader[] | null
  readonly hiddenBecause: string | null
  readonly blockedBecause: string | null
  readonly tags: readonly string[]
  readonly isReadOnly: boolean
  readonly mayDestroy: boolean
  readonly isPlain: boolean
  readonly fingerprint: string
  readonly tokens: number
  readonly own: OwnTool | null
  /** Other servers that have a tool of this own name, one in a line. */
  #fallbacks = ''
  /** Results that are still to be held against the output schema; 0 when there is none. */
  checksLeft = 0

  constructor(source: CatalogSource, original: string, written: Written, traits: ToolTraits) {
    super(source, original, written, traits)
    this.paramHeaders = traits.paramHeaders
    this.hiddenBecause = traits.hiddenBecause
    this.blockedBecause = traits.blockedBecause
    this.tags = traits.tags
    this.isReadOnly = traits.isReadOnly
    this.mayDestroy = traits.mayDestroy
    this.isPlain = traits.isPlain
    this.fingerprint = traits.fingerprint
    this.tokens = traits.tokens
    this.own = traits.own
  }

  setFallbacks(fallbacks: string): void {
    if (fallbacks === this.#fallbacks) return
    this.#fallbacks = fallbacks
    this.isWritten = false
  }

  override meta(): string {
    const place = { server: this.source.name, tool: this.original }
    const fallbacks = this.#fallbacks === '' ? undefined : this.#fallbacks.split('\n')
    const json = `"${ourKey}":${JSON.stringify({ ...place, fallbacks, origin: this.own?.origin })}`
    return this.metaShape === 'alone' ? `,"_meta":{${json}}` : this.metaShape === 'only' ? json : `${json},`
  }

  /** The tool for clients that may hear of some of the other servers only. */
  namingOnly(isSeen: (server: string) => boolean): ShapedTool {
    const all = this.#fallbacks.split('\n')
    const seen = all.filter(isSeen)
    if (this.#fallbacks === '' || seen.length === all.length) return this
    const tool = this.writtenAs(readEntry(this), this.name!)
    tool.#fallbacks = seen.join('\n')
    return tool
  }

  /** The same tool with another descriptor and a name of its own. */
  writtenAs(descriptor: Descriptor, name: string): ShapedTool {
    const tool = new ShapedTool(this.source, this.original, toBytes(descriptor, 'name'), this)
    tool.name = name
    tool.#fallbacks = this.#fallbacks
    return tool
  }
}

export interface Written {
  readonly bytes: Buffer
  readonly nameStart: number
  readonly nameEnd: number
  readonly metaStart: number
  readonly metaShape: MetaShape
}

/** Writes a descriptor down as its server did, but for what was changed of it, and notes where its slots are. */
export function toBytes(descriptor: Readonly<Descriptor>, key: 'name' | null): Written {
  const given = withForeignMeta(descriptor)
  let text = textOf(given)
  let members = listMembers(text, 0) ?? []
  if (repeatsOurs(members)) {
    text = writeJson(given)
    members = listMembers(text, 0) ?? []
  }
  const bytes = Buffer.from(text)
  const at = bytes.length === text.length ? same : (index: number) => Buffer.byteLength(text.slice(0, index))
  const name = key === null ? undefined : members.findLast((member) => member.key === key)
  const meta = members.findLast((member) => member.key === '_meta')
  return {
    bytes,
    nameStart: name === undefined ? 0 : at(name.start),
    nameEnd: name === undefined ? 0 : at(name.end),
    metaStart: meta === undefined ? at(text.lastIndexOf('}')) : at(meta.start) + 1,
    metaShape: meta === undefined ? 'alone' : isEmpty(text, meta) ? 'only' : 'first',
  }
}

const same = (index: number) => index

/** Of what Herma writes itself, and reads to find its way, there may be one only. */
function repeatsOurs(members: readonly { readonly key: string }[]): boolean {
  const ours = members.filter(({ key }) => key === 'name' || key === '_meta' || key === 'uri')
  return new Set(ours.map(({ key }) => key)).size < ours.length
}

function isEmpty(text: string, { start, end }: { start: number; end: number }): boolean {
  return text.slice(start + 1, end - 1).trim() === ''
}

/** What a server may say in `_meta`: an object, or clients refuse the whole list, and never whose tool it is. */
function withForeignMeta(descriptor: Readonly<Descriptor>): Readonly<Descriptor> {
  const meta = descriptor['_meta']
  if (meta === undefined) return descriptor
  if (!isObject(meta)) return { ...descriptor, _meta: undefined }
  if (!(ourKey in meta)) return descriptor
  const { [ourKey]: _, ...kept } = meta
  return { ...descriptor, _meta: kept }
}

/** The descriptor of an entry, parsed, without what Herma added. */
export function readEntry({ bytes, start, metaStart, metaEnd, end }: ShapedEntry): Descriptor {
  return readJson(bytes.toString('utf8', start, metaStart) + bytes.toString('utf8', metaEnd, end)) as Descriptor
}

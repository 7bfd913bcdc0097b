import { isObject } from '../wire/index.ts'
import { applyChanges } from './apply-changes.ts'
import { DescriptorPack } from './descriptor-pack.ts'
import {
  descriptorKinds,
  listDescriptors,
  noDescriptors,
  type Descriptor,
  type DescriptorKind,
  type Descriptors,
} from './descriptors.ts'
import type { Handshake } from './handshake.ts'
import type { Known } from './known.ts'
import type { Link } from './link.ts'

interface ReaderOptions {
  known(): Known | null
  onRead(known: Known): void
  onError(error: Error): void
}

/** What one link of the server showed. */
interface Shown {
  /** The base shows everything; any other link counts for what has changed on it since it was opened. */
  readonly isBase: boolean
  first: Partial<Descriptors>
  now: Partial<Descriptors>
  stale: Set<DescriptorKind>
  reading: Promise<void> | null
}

/**
 * Reads the lists of a server. Those of the shared link are the base: it is told that its client can do everything, and
 * so is shown everything. Another link may be another process with a life of its own: what it adds, changes and removes
 * is added, changed and removed here for as long as it is open.
 */
export class DescriptorReader {
  readonly #options: ReaderOptions
  readonly #links = new Map<Link, Shown>()
  #base: DescriptorPack
  #handshake: Handshake | null = null

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#base = options.known()?.descriptors ?? new DescriptorPack(noDescriptors)
  }

  /** Resolves when nothing is being read. */
  get done(): Promise<unknown> {
    return Promise.all([...this.#links.values()].map(({ reading }) => reading))
  }

  open(link: Link, isBase: boolean): void {
    // A link that was closed for being idle does not say so.
    for (const other of this.#links.keys()) if (other.isClosed) this.#links.delete(other)
    this.#links.set(link, { isBase, first: {}, now: {}, stale: new Set(), reading: null })
    const { capabilities = {} } = link.handshake ?? {}
    this.refresh(link, isBase ? descriptorKinds : descriptorKinds.filter((kind) => reportsChanges(kind, capabilities)))
  }

  /** Changes that arrive while lists are read are read right after. */
  refresh(link: Link, kinds: readonly DescriptorKind[]): void {
    const shown = this.#links.get(link)
    if (shown === undefined) return
    for (const kind of kinds) shown.stale.add(kind)
    shown.reading ??= this.#read(link, shown).finally(() => {
      shown.reading = null
    })
  }

  close(link: Link): void {
    const shown = this.#links.get(link)
    this.#links.delete(link)
    if (shown !== undefined && !shown.isBase && hasChanged(shown)) this.#tell()
  }

  async #read(link: Link, shown: Shown): Promise<void> {
    while (shown.stale.size > 0) {
      if (link.isClosed || link.handshake === null) return
      const kinds = [...shown.stale]
      shown.stale = new Set()
      const lists = await Promise.all(kinds.map((kind) => this.#readOne(link, kind)))
      const read = Object.fromEntries(lists.filter((list) => list !== null)) as Partial<Descriptors>
      const isNews = shown.isBase ? this.#takeBase(read, link) : noteChanges(shown, read)
      if (isNews) this.#tell(link.handshake)
    }
  }

  #takeBase(read: Partial<Descriptors>, link: Link): boolean {
    if (Object.keys(read).length === 0) return false
    this.#base = new DescriptorPack({ ...this.#base.readAll(), ...read })
    this.#handshake = link.handshake
    return true
  }

  /** A list that cannot be read leaves the others alone. */
  async #readOne(link: Link, kind: DescriptorKind): Promise<readonly [DescriptorKind, Descriptor[]] | null> {
    try {
      return [kind, await listDescriptors(link, kind)]
    } catch (error) {
      this.#options.onError(error as Error)
      return null
    }
  }

  #tell(from: Handshake | null = null): void {
    const handshake = this.#handshake ?? this.#options.known()?.handshake ?? from
    if (handshake === null) return
    const changes = [...this.#links.values()].filter(({ isBase }) => !isBase)
    const descriptors =
      changes.length === 0
        ? this.#base
        : new DescriptorPack(
            changes.reduce((lists, { first, now }) => applyChanges(lists, first, now), this.#base.readAll()),
          )
    this.#options.onRead({ descriptors, handshake, fetchedAt: new Date() })
  }
}

/** Keeps what a link showed at first and shows now. True when that is news. */
function noteChanges(shown: Shown, read: Partial<Descriptors>): boolean {
  const before = shown.now
  shown.first = { ...read, ...shown.first }
  shown.now = { ...shown.now, ...read }
  return hasChanged(shown) || isChanged(before, read)
}

/** True when a list that was read before is different now, even if that is what it was at first. */
function isChanged(before: Partial<Descriptors>, read: Partial<Descriptors>): boolean {
  return Object.entries(read).some(([kind, list]) => {
    const known = before[kind as DescriptorKind]
    return known !== undefined && JSON.stringify(known) !== JSON.stringify(list)
  })
}

function hasChanged({ first, now }: Shown): boolean {
  return JSON.stringify(first) !== JSON.stringify(now)
}

function reportsChanges(kind: DescriptorKind, capabilities: Record<string, unknown>): boolean {
  const capability = capabilities[kind === 'resourceTemplates' ? 'resources' : kind]
  return isObject(capability) && capability['listChanged'] === true
}

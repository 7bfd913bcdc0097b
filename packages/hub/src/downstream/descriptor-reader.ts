import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../wire/index.ts'
import { applyChanges } from './apply-changes.ts'
import { DescriptorPack, emptyPack } from './descriptor-pack.ts'
import {
  descriptorKinds,
  listDescriptors,
  type Descriptor,
  type DescriptorKind,
  type Descriptors,
} from './descriptors.ts'
import type { Handshake } from './handshake.ts'
import type { Known } from './known.ts'
import { maskTexts } from './mask-texts.ts'
import type { Link } from './link.ts'

interface ReaderOptions {
  /** The lists that are read. */
  readonly kinds?: readonly DescriptorKind[]
  known(): Known | null
  /** Masks secrets: what a server says of itself is stored and shown to everybody. */
  redact?(text: string): string
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
  /** Waits until it may be read again. */
  resting: NodeJS.Timeout | null
  /** When the hub will have rested enough for all that was read. */
  restedAt: number
}

/** Of the hub's time a server that changes its lists all the time gets one part in so many. */
const restFactor = 20
/** What a change costs at least, for the server and the database. */
const minCostMs = 5
/** Rest that may be owed, so that a few changes in a row are read at once. */
const creditMs = 1000

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
    this.#base = options.known()?.descriptors ?? emptyPack
  }

  /** Resolves when what is being read was read. */
  get done(): Promise<unknown> {
    return Promise.all([...this.#links.values()].map(({ reading }) => reading))
  }

  open(link: Link, isBase: boolean): void {
    // A link that was closed for being idle does not say so.
    for (const other of this.#links.keys()) if (other.isClosed) this.#links.delete(other)
    const state = { stale: new Set<DescriptorKind>(), reading: null, resting: null, restedAt: 0 }
    this.#links.set(link, { isBase, first: {}, now: {}, ...state })
    const { capabilities = {} } = link.handshake ?? {}
    this.refresh(link, isBase ? descriptorKinds : descriptorKinds.filter((kind) => reportsChanges(kind, capabilities)))
  }

  /** Changes that arrive while lists are read are read after it, at once unless there were too many. */
  refresh(link: Link, kinds: readonly DescriptorKind[]): void {
    const shown = this.#links.get(link)
    if (shown === undefined) return
    const { kinds: read = descriptorKinds } = this.#options
    for (const kind of kinds) if (read.includes(kind)) shown.stale.add(kind)
    if (shown.stale.size === 0 || shown.reading !== null || shown.resting !== null) return
    const restMs = shown.restedAt - performance.now() - creditMs
    if (restMs > 0) {
      const wake = () => {
        shown.resting = null
        this.refresh(link, [])
      }
      shown.resting = setTimeout(wake, restMs).unref()
      return
    }
    shown.reading = this.#read(link, shown).finally(() => {
      shown.reading = null
      this.refresh(link, [])
    })
  }

  close(link: Link): void {
    const shown = this.#links.get(link)
    this.#links.delete(link)
    if (shown?.resting != null) clearTimeout(shown.resting)
    if (shown !== undefined && !shown.isBase && hasChanged(shown)) this.#tell()
  }

  async #read(link: Link, shown: Shown): Promise<void> {
    const kinds = [...shown.stale]
    shown.stale = new Set()
    if (link.isClosed || link.handshake === null) return
    const lists = await Promise.all(kinds.map((kind) => this.#readOne(link, kind)))
    const startedAt = performance.now()
    const read = Object.fromEntries(lists.filter((list) => list !== null)) as Partial<Descriptors>
    const isNews = shown.isBase ? this.#takeBase(read, link) : noteChanges(shown, read)
    if (isNews) this.#tell(link.handshake)
    const now = performance.now()
    shown.restedAt = Math.max(now, shown.restedAt) + Math.max(minCostMs, now - startedAt) * restFactor
  }

  #takeBase(read: Partial<Descriptors>, link: Link): boolean {
    if (Object.keys(read).length === 0) return false
    const before = this.#base.readAll()
    const lists = { ...before, ...read }
    const handshake = maskTexts(link.handshake, this.#options.redact ?? String)
    // A server that says the same again is no news: one that is told of ours in turn would say it for ever.
    if (this.#options.known() !== null && isDeepStrictEqual([this.#handshake, before], [handshake, lists])) return false
    this.#base = new DescriptorPack(lists)
    this.#handshake = handshake
    return true
  }

  /** A list that cannot be read leaves the others alone. */
  async #readOne(link: Link, kind: DescriptorKind): Promise<readonly [DescriptorKind, Descriptor[]] | null> {
    try {
      const listed = await listDescriptors(link, kind)
      const { redact } = this.#options
      return [kind, redact === undefined ? listed : listed.map((each) => maskTexts(each, redact))]
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

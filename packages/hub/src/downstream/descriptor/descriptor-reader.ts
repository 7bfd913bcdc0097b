import { isDeepStrictEqual } from 'node:util'
import { canonicalText, isObject, type Descriptor } from '../../wire/index.ts'
import { applyChanges } from '../connector/apply-changes.ts'
import { DescriptorPack, emptyPack } from './descriptor-pack.ts'
import { descriptorKinds, listDescriptors, offersKind, type DescriptorKind, type Descriptors } from './descriptors.ts'
import type { Handshake } from '../link/handshake.ts'
import type { Known } from './known.ts'
import { maskTexts } from './mask-texts.ts'
import type { Link } from '../link/link.ts'

interface ReaderOptions {
  /** The lists that are read. */
  readonly kinds?: readonly DescriptorKind[]
  known(): Known | null
  /** Masks secrets: what a server says of itself is stored and shown to everybody. */
  redact?(text: string): string
  /** What of a list is taken in, and how. */
  receive?(entries: Descriptor[], handshake: Handshake): Descriptor[]
  onRead(read: Omit<Known, 'distinctions'>): void
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
  /** Resolves when the server has answered with one of its lists, or has none. */
  readonly heard: Promise<void>
  hear(): void
}

/** Of the hub's time a server that changes its lists all the time gets one part in so many. */
const restFactor = 20
/** What a change costs at least, for the server and the database. */
const minCostMs = 5
/** Rest that may be owed, so that a few changes in a row are read at once. */
const creditMs = 1000
/** A burst is over when nothing has changed for so long; then there is no need to rest. */
const quietMs = 300
/** Beyond so much rest a server is not one with a burst, but one that changes all the time. */
const maxDebtMs = 30_000

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
    let hear = () => {}
    const heard = new Promise<void>((resolve) => {
      hear = resolve
    })
    this.#links.set(link, { isBase, first: {}, now: {}, ...state, heard, hear })
    const { capabilities = {} } = link.handshake ?? {}
    this.refresh(link, isBase ? descriptorKinds : descriptorKinds.filter((kind) => reportsChanges(kind, capabilities)))
    if (this.#links.get(link)!.reading === null) hear()
  }

  /** Resolves when the server has answered something on a link that was opened, so it has seen what came before. */
  async heard(link: Link): Promise<void> {
    await this.#links.get(link)?.heard
  }

  /** Changes that arrive while lists are read are read after it, at once unless there were too many. */
  refresh(link: Link, kinds: readonly DescriptorKind[]): void {
    const shown = this.#links.get(link)
    if (shown === undefined) return
    const { kinds: read = descriptorKinds } = this.#options
    for (const kind of kinds) if (read.includes(kind)) shown.stale.add(kind)
    if (shown.stale.size === 0 || shown.reading !== null) return
    const owedMs = shown.restedAt - performance.now()
    if (owedMs <= creditMs) this.#start(link, shown)
    else if (owedMs <= maxDebtMs) this.#rest(link, shown, Math.min(owedMs - creditMs, quietMs))
    else if (shown.resting === null) this.#rest(link, shown, owedMs - creditMs)
  }

  /** Resolves when what has changed so far was read, which it now is at once; null when nothing has. */
  current(): Promise<unknown> | null {
    const changed = [...this.#links].filter(([, { reading, resting }]) => reading !== null || resting !== null)
    return changed.length === 0 ? null : Promise.all(changed.map(([link, shown]) => this.#finish(link, shown)))
  }

  async #finish(link: Link, shown: Shown): Promise<void> {
    await shown.reading
    if (shown.resting !== null && shown.restedAt - performance.now() <= maxDebtMs) this.#start(link, shown)
    await shown.reading
  }

  #rest(link: Link, shown: Shown, waitMs: number): void {
    if (shown.resting !== null) clearTimeout(shown.resting)
    const wake = () => {
      shown.resting = null
      if (this.#links.get(link) === shown && shown.reading === null && shown.stale.size > 0) this.#start(link, shown)
    }
    shown.resting = setTimeout(wake, waitMs).unref()
  }

  #start(link: Link, shown: Shown): void {
    if (shown.resting !== null) clearTimeout(shown.resting)
    shown.resting = null
    shown.reading = this.#read(link, shown).finally(() => {
      shown.hear()
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
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const list = await this.#readOne(link, kind)
        if (offersKind(link, kind)) shown.hear()
        return list
      }),
    )
    const startedAt = performance.now()
    const read = Object.fromEntries(lists.filter((list) => list !== null)) as Partial<Descriptors>
    const isNews = shown.isBase ? this.#takeBase(read, link) : noteChanges(shown, read)
    if (isNews) this.#tell(link.handshake)
    const now = performance.now()
    shown.restedAt = Math.max(now, shown.restedAt) + Math.max(minCostMs, now - startedAt) * restFactor
  }

  #takeBase(read: Partial<Descriptors>, link: Link): boolean {
    if (Object.keys(read).length === 0) return false
    const base = new DescriptorPack(read, this.#base)
    const handshake = maskTexts(link.handshake, this.#options.redact ?? String)
    const isSame = base.equals(this.#base) && isDeepStrictEqual(this.#handshake, handshake)
    // A server that says the same again is no news: one that is told of ours in turn would say it for ever.
    if (this.#options.known() !== null && isSame) return false
    this.#base = base
    this.#handshake = handshake
    return true
  }

  /** A list that cannot be read leaves the others alone. */
  async #readOne(link: Link, kind: DescriptorKind): Promise<readonly [DescriptorKind, Descriptor[]] | null> {
    try {
      const whole = await listDescriptors(link, kind)
      const { redact, receive } = this.#options
      const listed = receive === undefined || link.handshake === null ? whole : receive(whole, link.handshake)
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
    return known !== undefined && !isSameList(known, list)
  })
}

function hasChanged({ first, now }: Shown): boolean {
  return descriptorKinds.some((kind) => !isSameList(first[kind] ?? [], now[kind] ?? []))
}

function isSameList(before: readonly Descriptor[], now: readonly Descriptor[]): boolean {
  return before === now || before.map(canonicalText).join('\n') === now.map(canonicalText).join('\n')
}

function reportsChanges(kind: DescriptorKind, capabilities: Record<string, unknown>): boolean {
  const capability = capabilities[kind === 'resourceTemplates' ? 'resources' : kind]
  return isObject(capability) && capability['listChanged'] === true
}

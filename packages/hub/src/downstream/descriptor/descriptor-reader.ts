import { isDeepStrictEqual } from 'node:util'
import { canonicalText, isObject, type Descriptor } from '../../wire/index.ts'
import { applyChanges } from '../connector/change/apply-changes.ts'
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
  /** A server offers more, or less, beyond its limits than before. */
  onLeftOut?(problems: readonly string[]): void
  onError(error: Error): void
  /** Those who want to see the tools of each link before it is used. */
  readonly looks?: ToolWatch | undefined
}

/** Hears what tools each link has shown. */
export interface ToolWatch {
  /** Why tools of a link are not as they were approved, by their names. */
  compare(link: Link, tools: readonly Descriptor[]): ReadonlyMap<string, string>
  onTools(link: Link, tools: readonly Descriptor[], differing: ReadonlyMap<string, string>): void
  onToolsFailed(link: Link, error: Error): void
}

/**
 * What the lists of a link are good for: the base shows everything; one of `changes` counts for what has changed on it
 * since it was opened, or is not as it was approved; what one `apart` shows is for its own calls only.
 */
export type LinkPart = 'base' | 'changes' | 'apart'

/** What one link of the server showed. */
interface Shown {
  readonly part: LinkPart
  first: Partial<Descriptors>
  now: Partial<Descriptors>
  stale: Set<DescriptorKind>
  reading: Promise<void> | null
  /** The tools alone, for which calls wait. */
  looking: Promise<void> | null
  /** What was read of the tools holds no more, but nothing has to be read before somebody wants it. */
  isExpired: boolean
  /** When its lists were last read. */
  readAt: number
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
  /** What the base offers beyond its limits, by list. */
  readonly #leftOut = new Map<DescriptorKind, readonly string[]>()

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#base = options.known()?.descriptors ?? emptyPack
  }

  /** What the server offers beyond its limits. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut.values()].flat()
  }

  /** Resolves when what is being read was read. */
  get done(): Promise<unknown> {
    return Promise.all([...this.#links.values()].map(({ reading }) => reading))
  }

  open(link: Link, part: LinkPart): void {
    // A link that was closed for being idle does not say so.
    for (const other of this.#links.keys()) if (other.isClosed) this.#links.delete(other)
    const state = {
      stale: new Set<DescriptorKind>(),
      reading: null,
      looking: null,
      isExpired: false,
      resting: null,
      restedAt: 0,
    }
    let hear = () => {}
    const heard = new Promise<void>((resolve) => {
      hear = resolve
    })
    this.#links.set(link, { part, first: {}, now: {}, ...state, readAt: performance.now(), heard, hear })
    this.refresh(link, this.#kindsOf(link, part))
    if (this.#links.get(link)!.reading === null) hear()
  }

  #kindsOf(link: Link, part: LinkPart): readonly DescriptorKind[] {
    if (part === 'base') return descriptorKinds
    const { capabilities = {} } = link.handshake ?? {}
    const reports = (kind: DescriptorKind) => part === 'changes' && reportsChanges(kind, capabilities)
    const isSeen = (kind: DescriptorKind) => kind === 'tools' && this.#options.looks !== undefined
    return descriptorKinds.filter((kind) => reports(kind) || isSeen(kind))
  }

  /** Reads all lists of a link again, as those of a server that may have changed them without saying so. */
  readAgain(link: Link): void {
    const shown = this.#links.get(link)
    if (shown !== undefined) this.refresh(link, this.#kindsOf(link, shown.part))
  }

  /** When the lists of a link were last read, or began to be. */
  readAt(link: Link): number | null {
    return this.#links.get(link)?.readAt ?? null
  }

  /** Reads the tools of a link alone and at once. Several who ask share a reading that began after the last change. */
  async look(link: Link): Promise<void> {
    const shown = this.#links.get(link)
    if (shown === undefined || link.isClosed) return
    if (shown.looking !== null && this.hasStaleTools(link)) {
      await shown.looking
      return this.look(link)
    }
    shown.stale.delete('tools')
    shown.looking ??= this.#readKinds(link, shown, ['tools']).finally(() => {
      shown.looking = null
    })
    await shown.looking
  }

  /** What was read of the tools of a link holds no more; nothing is read before somebody wants it. */
  expireTools(link: Link): void {
    const shown = this.#links.get(link)
    if (shown !== undefined) shown.isExpired = true
  }

  /** True when the tools of a link may have changed since their last reading began. */
  hasStaleTools(link: Link): boolean {
    const shown = this.#links.get(link)
    return shown !== undefined && (shown.isExpired || shown.stale.has('tools'))
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
    if (shown?.part === 'changes' && hasChanged(shown)) this.#tell()
  }

  async #read(link: Link, shown: Shown): Promise<void> {
    const kinds = [...shown.stale]
    shown.stale = new Set()
    if (link.isClosed || link.handshake === null) return
    // Calls wait for the tools, and must not wait for other lists too. Of a new server everything is told at once.
    const isLook = this.#options.looks !== undefined && this.#options.known() !== null && kinds.includes('tools')
    if (!isLook) return this.#readKinds(link, shown, kinds)
    const others = kinds.filter((kind) => kind !== 'tools')
    // A reading that has begun already may have missed the change.
    if (shown.looking !== null) shown.isExpired = true
    await Promise.all([this.look(link), this.#readKinds(link, shown, others)])
  }

  async #readKinds(link: Link, shown: Shown, kinds: readonly DescriptorKind[]): Promise<void> {
    if (kinds.length === 0 || link.isClosed || link.handshake === null) return
    shown.readAt = performance.now()
    if (kinds.includes('tools')) shown.isExpired = false
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const list = await this.#readOne(link, kind, shown.part)
        if (offersKind(link, kind)) shown.hear()
        return list
      }),
    )
    const startedAt = performance.now()
    const read = Object.fromEntries(lists.filter((list) => list !== null)) as Partial<Descriptors>
    this.#take(link, shown, read)
    const now = performance.now()
    shown.restedAt = Math.max(now, shown.restedAt) + Math.max(minCostMs, now - startedAt) * restFactor
  }

  #take(link: Link, shown: Shown, read: Partial<Descriptors>): void {
    const { looks } = this.#options
    const { tools } = read
    if (shown.part === 'base') {
      if (this.#takeBase(read, link)) this.#tell(link.handshake)
      // What a new server brings is approved by being told.
      if (tools !== undefined) looks?.onTools(link, tools, looks.compare(link, tools))
      return
    }
    const differing = tools === undefined ? undefined : looks?.compare(link, tools)
    if (shown.part === 'changes') {
      if (differing !== undefined && shown.first.tools === undefined)
        shown.first = { ...shown.first, tools: this.#asInBase(tools!, differing) }
      if (noteChanges(shown, read)) this.#tell(link.handshake)
    }
    if (differing !== undefined) looks!.onTools(link, tools!, differing)
  }

  /** The tools of a link with those that differ from what was approved as they are on the base, if it has them. */
  #asInBase(tools: readonly Descriptor[], differing: ReadonlyMap<string, string>): Descriptor[] {
    if (!tools.some(({ name }) => differing.has(String(name)))) return [...tools]
    const base = new Map(this.#base.read('tools').map((tool) => [tool['name'], tool]))
    return tools.map((tool) => (differing.has(String(tool['name'])) ? (base.get(tool['name']) ?? tool) : tool))
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
  async #readOne(
    link: Link,
    kind: DescriptorKind,
    part: LinkPart,
  ): Promise<readonly [DescriptorKind, Descriptor[]] | null> {
    try {
      const { redact = String, receive } = this.#options
      const problems: string[] = []
      const whole = await listDescriptors(link, kind, (problem) => problems.push(redact(problem)))
      if (part === 'base') this.#noteLeftOut(kind, problems)
      const listed = receive === undefined || link.handshake === null ? whole : receive(whole, link.handshake)
      return [kind, listed.map((each) => maskTexts(each, redact))]
    } catch (error) {
      this.#options.onError(error as Error)
      if (kind === 'tools') this.#options.looks?.onToolsFailed(link, error as Error)
      return null
    }
  }

  #noteLeftOut(kind: DescriptorKind, problems: readonly string[]): void {
    const before = this.#leftOut.get(kind) ?? []
    this.#leftOut.set(kind, problems)
    if (problems.join('\n') !== before.join('\n')) this.#options.onLeftOut?.(problems)
  }

  #tell(from: Handshake | null = null): void {
    const handshake = this.#handshake ?? this.#options.known()?.handshake ?? from
    if (handshake === null) return
    const changes = [...this.#links.values()].filter(({ part }) => part === 'changes')
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

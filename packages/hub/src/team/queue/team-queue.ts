import { HubError } from '@herma/contract'

export interface QueueLimits {
  /** Calls under way at once. */
  readonly maxConcurrency: number
  /** Calls that may wait. */
  readonly maxQueue: number
}

/** What a call wants of the queue. Whom it may go to is its own matter. */
export interface QueueRequest {
  /** Calls of one kind choose alike: when one of them has to wait, so have all of its kind. */
  readonly kind: string
  /** The member that it goes to now; null = it has to wait. What it throws ends the call. */
  choose(runningOf: (member: string) => number): string | null
}

export interface QueueEntry<About> extends QueueRequest {
  readonly about: About
  readonly signal: AbortSignal
  /** Told how many calls wait before this one, whenever that has changed noticeably. */
  onPosition(before: number): void
}

/** A place in a team for one call, with the member that works on it. */
export interface QueuePlace {
  /** Gives the member back and gets another one; may wait, in the place that it had in the line. */
  move(request: QueueRequest): Promise<void>
  /** Must be called once the call is over, in whatever way. */
  leave(): void
}

interface Entry<About> extends QueueEntry<About> {
  kind: string
  choose: QueueRequest['choose']
  readonly turn: number
  /** Counts among the calls under way; it keeps its place while it waits for another member. */
  hasPlace: boolean
  member: string | null
  toldBefore: number
  settle: { resolve(): void; reject(error: unknown): void } | null
  onAbort: () => void
}

/**
 * The calls of one team: so many under way at once, the others in a line. First come, first served, except that a call
 * which could run does not wait for an earlier one that only waits for a busy member.
 */
export class TeamQueue<About> {
  readonly #team: string
  readonly #limits: () => QueueLimits
  readonly #runningOf = new Map<string, number>()
  readonly #running = new Set<Entry<About>>()
  #waiting: Entry<About>[] = []
  /** Calls with a place. */
  #places = 0
  #turns = 0

  constructor(team: string, limits: () => QueueLimits) {
    this.#team = team
    this.#limits = limits
  }

  get running(): number {
    return this.#places
  }

  get waiting(): number {
    return this.#waiting.filter(({ hasPlace }) => !hasPlace).length
  }

  get isFull(): boolean {
    return this.#places >= this.#limits().maxConcurrency
  }

  runningOf(member: string): number {
    return this.#runningOf.get(member) ?? 0
  }

  /** Calls in the order in which they came. */
  *calls(): IterableIterator<{ about: About; member: string | null; before: number | null }> {
    for (const { about, member } of this.#running) yield { about, member, before: null }
    for (const [before, { about }] of this.#waiting.entries()) yield { about, member: null, before }
  }

  /** Resolves when it is the call's turn. Rejects with QUEUE_FULL, what `choose` throws, or the reason of the signal. */
  async enter(request: QueueEntry<About>): Promise<QueuePlace> {
    request.signal.throwIfAborted()
    const entry: Entry<About> = {
      about: request.about,
      signal: request.signal,
      onPosition: request.onPosition,
      kind: request.kind,
      choose: request.choose,
      turn: this.#turns++,
      hasPlace: false,
      member: null,
      toldBefore: Number.POSITIVE_INFINITY,
      settle: null,
      onAbort: () => this.#abandon(entry, entry.signal.reason),
    }
    await this.#wait(entry)
    return { move: (next) => this.#move(entry, next), leave: () => this.#leave(entry) }
  }

  /** Lets go on whoever can. To be called when members or limits have changed; the queue itself notices its own changes. */
  advance(): void {
    this.#startAll()
    this.#tell()
  }

  /** Ends the wait of every call. */
  close(reason: unknown): void {
    for (const entry of this.#waiting) this.#settle(entry)?.reject(reason)
    this.#tidy()
  }

  #startAll(): void {
    const blocked = new Set<string>()
    for (const entry of this.#waiting) {
      if (entry.settle === null || blocked.has(entry.kind) || (this.isFull && !entry.hasPlace)) continue
      try {
        const member = entry.choose((name) => this.runningOf(name))
        if (member === null) blocked.add(entry.kind)
        else this.#start(entry, member)
      } catch (error) {
        this.#settle(entry)?.reject(error)
      }
    }
    this.#tidy()
  }

  #wait(entry: Entry<About>): Promise<void> {
    return new Promise((resolve, reject) => {
      entry.settle = { resolve, reject }
      entry.signal.addEventListener('abort', entry.onAbort, { once: true })
      const earlier = this.#waiting.findLastIndex(({ turn }) => turn < entry.turn)
      this.#waiting.splice(earlier + 1, 0, entry)
      this.#startAll()
      const { maxQueue } = this.#limits()
      if (entry.settle !== null && !entry.hasPlace && this.waiting > maxQueue) {
        const text = `Team '${this.#team}' is busy and ${maxQueue} calls wait already, the most that may. Try again later, or raise maxQueue or maxConcurrency.`
        this.#abandon(entry, new HubError('QUEUE_FULL', text))
      } else this.#tell()
    })
  }

  #start(entry: Entry<About>, member: string): void {
    if (!entry.hasPlace) this.#places++
    entry.hasPlace = true
    entry.member = member
    this.#running.add(entry)
    this.#runningOf.set(member, this.runningOf(member) + 1)
    this.#settle(entry)?.resolve()
  }

  async #move(entry: Entry<About>, { kind, choose }: QueueRequest): Promise<void> {
    entry.signal.throwIfAborted()
    this.#release(entry)
    entry.kind = kind
    entry.choose = choose
    await this.#wait(entry)
  }

  #leave(entry: Entry<About>): void {
    this.#release(entry)
    if (entry.hasPlace) this.#places--
    entry.hasPlace = false
    this.advance()
  }

  #release(entry: Entry<About>): void {
    const { member } = entry
    if (member === null) return
    entry.member = null
    this.#running.delete(entry)
    const left = this.runningOf(member) - 1
    if (left > 0) this.#runningOf.set(member, left)
    else this.#runningOf.delete(member)
  }

  #abandon(entry: Entry<About>, reason: unknown): void {
    this.#settle(entry)?.reject(reason)
    this.#tidy()
    this.#tell()
  }

  /** The entry waits no longer; it is taken out of the line by the next `#tidy`. */
  #settle(entry: Entry<About>): Entry<About>['settle'] {
    const { settle } = entry
    entry.settle = null
    entry.signal.removeEventListener('abort', entry.onAbort)
    return settle
  }

  #tidy(): void {
    if (this.#waiting.some(({ settle }) => settle === null))
      this.#waiting = this.#waiting.filter(({ settle }) => settle !== null)
  }

  #tell(): void {
    for (const [before, entry] of this.#waiting.entries()) {
      // Whoever hears of it may leave at once.
      if (entry.settle === null || entry.hasPlace || !isWorthTelling(before, entry.toldBefore)) continue
      entry.toldBefore = before
      entry.onPosition(before)
    }
  }
}

/** Near its turn a call hears of every step, far from it of every tenth part of the way. */
function isWorthTelling(before: number, told: number): boolean {
  return before < told && (before < 10 || before <= told * 0.9)
}

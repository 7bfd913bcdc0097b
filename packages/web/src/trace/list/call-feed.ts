import type { EventFilter, EventPage, EventQuery, EventView } from '@herma/contract'
import { apiPath } from '@herma/contract/client'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { api } from '../../api/client.ts'
import { EventStream } from '../../api/event-stream.ts'
import { mergeNewest } from './merge-newest.ts'

/** What the list shows. A new object whenever something of it changed. */
export interface CallFeedView {
  /** Newest first. */
  readonly rows: readonly EventView[]
  /** Those that came while nobody followed, newest first; they are shown when somebody does. */
  readonly waiting: readonly EventView[]
  /** Events that this page was too slow to take. */
  readonly skipped: number
  readonly isLive: boolean
  /** The first answer is there. */
  readonly isReady: boolean
  readonly isAsking: boolean
  readonly error: unknown
  readonly hasOlder: boolean
  /** There are older ones that this page does not hold: it holds as many as it may. */
  readonly isFull: boolean
}

/** More than a screen shows; older ones come as they are scrolled to. */
const newestRows = 120
/** What may have happened between an answer and the stream. */
const catchUpRows = 10
const olderRows = 500
const maxLiveRows = 5000
const maxRows = 10_000
/** Nobody reads faster than this, and a page that draws at every event would do nothing else. */
const gatherMs = 200
const askAgainMs = 5000

const empty: CallFeedView = {
  rows: [],
  waiting: [],
  skipped: 0,
  isLive: false,
  isReady: false,
  isAsking: false,
  error: null,
  hasOlder: false,
  isFull: false,
}

/** Events that match a filter: pages of older ones as they are wanted, and new ones as they happen. */
export class CallFeed {
  readonly #filter: EventFilter
  readonly #watchers = new Set<() => void>()
  #view = empty
  #gathered: EventView[] = []
  #isFollowed = true
  #stream: EventStream | undefined
  #timers: ReturnType<typeof setInterval>[] = []
  #cut = new AbortController()

  constructor(filter: EventFilter) {
    this.#filter = filter
  }

  readonly view = (): CallFeedView => this.#view

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  start(): void {
    this.#cut = new AbortController()
    // Nobody waits for the stream: when it is open, what came meanwhile is asked for.
    void this.refresh()
    // What ended before a time gets no more events.
    if (this.#filter.to !== undefined) return
    this.#open()
    this.#timers = [setInterval(() => this.#release(), gatherMs), setInterval(() => this.#mend(), askAgainMs)]
    document.addEventListener('visibilitychange', this.#onVisibility)
  }

  stop(): void {
    this.#close()
    this.#cut.abort()
    for (const timer of this.#timers) clearInterval(timer)
    document.removeEventListener('visibilitychange', this.#onVisibility)
  }

  /** Whether new events go to the top of the list, or wait. */
  follow(isFollowed: boolean): void {
    this.#isFollowed = isFollowed
    if (isFollowed && this.#view.waiting.length > 0) this.#show({ ...this.#add(this.#view.waiting), waiting: [] })
  }

  /** Asks for the newest page, and puts what is new in it at the top. */
  async refresh(limit = newestRows): Promise<void> {
    await this.#ask(async () => {
      const { events, next } = await this.#load({ limit })
      const { rows, waiting } = this.#view
      const known = new Set([...rows, ...waiting].map(({ id }) => id))
      const hasGap = next !== null && rows.length > 0 && !events.some(({ id }) => known.has(id))
      if (hasGap && limit < newestRows) return this.refresh()
      if (rows.length === 0 || hasGap) this.#show({ rows: events, waiting: [], hasOlder: next !== null, isFull: false })
      else this.#take(events)
      this.#show({ isReady: true })
    })
  }

  async loadOlder(): Promise<void> {
    const last = this.#view.rows.at(-1)
    if (last === undefined || !this.#view.hasOlder || this.#view.isAsking) return
    await this.#ask(async () => {
      const { events, next } = await this.#load({ cursor: last.id, limit: olderRows })
      // New ones may have pushed the end of the list away meanwhile.
      if (this.#view.rows.at(-1)?.id !== last.id) return
      const rows = [...this.#view.rows, ...events]
      const isFull = rows.length >= maxRows && next !== null
      this.#show({ rows, hasOlder: next !== null && !isFull, isFull })
    })
  }

  async #ask(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#cut
    this.#show({ isAsking: true, error: null })
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) this.#show({ error })
    } finally {
      if (!signal.aborted) this.#show({ isAsking: false })
    }
  }

  #load(part: Pick<EventQuery, 'limit' | 'cursor'>): Promise<EventPage> {
    return api.listTraces({ ...this.#filter, ...part }, { signal: this.#cut.signal })
  }

  #open(): void {
    this.#stream = new EventStream(apiPath('tailTraces', this.#filter), {
      onOpen: () => {
        this.#show({ isLive: true })
        // What happened before, or while nobody listened, is not told.
        void this.refresh(this.#view.rows.length > 0 ? catchUpRows : newestRows)
      },
      onEvent: (name, data) => this.#hear(name, data),
      onEnd: () => {
        this.#show({ isLive: false })
        if (!this.#view.isReady && !this.#view.isAsking) void this.refresh()
      },
    })
  }

  #hear(name: string, data: string): void {
    if (name === 'event') {
      this.#gathered.push(JSON.parse(data) as EventView)
      if (this.#gathered.length > maxLiveRows) this.#release()
    } else if (name === 'skipped') {
      const { count } = JSON.parse(data) as { count: number }
      this.#show({ skipped: this.#view.skipped + count })
    }
  }

  #close(): void {
    this.#stream?.close()
    this.#stream = undefined
    this.#show({ isLive: false })
  }

  /** A stream repairs itself when it broke, but not when it was refused. */
  #mend(): void {
    if (this.#view.isLive || document.hidden) return
    if (this.#stream === undefined || this.#stream.isOver) this.#open()
    else if (!this.#view.isAsking) void this.refresh()
  }

  // A browser has few connections to one host, and pages that nobody sees must not use them up.
  readonly #onVisibility = () => {
    if (document.hidden) this.#close()
    else if (this.#stream === undefined) this.#open()
  }

  #release(): void {
    if (this.#gathered.length > 0) this.#take(this.#gathered.splice(0))
  }

  #take(events: readonly EventView[]): void {
    const known = new Set([...this.#view.rows, ...this.#view.waiting].map(({ id }) => id))
    const fresh = events.filter(({ id }) => !known.has(id))
    if (fresh.length === 0) return
    if (this.#isFollowed) this.#show(this.#add(fresh))
    else this.#show({ waiting: mergeNewest(this.#view.waiting, fresh, maxLiveRows).rows })
  }

  #add(events: readonly EventView[]): Partial<CallFeedView> {
    const { rows, isCut } = mergeNewest(this.#view.rows, events, maxLiveRows)
    return isCut ? { rows, hasOlder: true, isFull: false } : { rows }
  }

  #show(part: Partial<CallFeedView>): void {
    this.#view = { ...this.#view, ...part }
    for (const watcher of this.#watchers) watcher()
  }
}

/** The events that match, live while the page is open. */
export function useCallFeed(filter: EventFilter): { feed: CallFeed; view: CallFeedView } {
  // The same filter in another object is no reason to begin anew.
  const key = JSON.stringify(filter)
  const feed = useMemo(() => new CallFeed(JSON.parse(key) as EventFilter), [key])
  useEffect(() => {
    feed.start()
    return () => feed.stop()
  }, [feed])
  return { feed, view: useSyncExternalStore(feed.watch, feed.view) }
}

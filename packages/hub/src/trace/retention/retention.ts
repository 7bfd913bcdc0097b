import type { Log } from '../../platform/log.ts'
import { idAt, timeOfId } from '../record/event-id.ts'
import type { Partition, PartitionList, PartitionStore } from './store.ts'

/** How much is kept. */
export interface RetentionLimits {
  readonly days: number
  readonly maxBytes: number
}

export interface RetentionOptions {
  readonly store: Pick<PartitionStore, 'list' | 'create' | 'split' | 'drop' | 'deleteStray' | 'indexWords'>
  /** What a partition covers as long as it does not grow too large. */
  readonly days: number
  /** Whether partitions that are written no more get an index of their words. */
  readonly indexesWords: boolean
  readonly log: Log
  limits(): RetentionLimits
}

export interface Kept {
  readonly bytes: number
  readonly partitions: number
  /** Milliseconds since 1970. */
  readonly since: number | null
}

const dayMs = 86_400_000
const intervalMs = 10_000
const maxPartitionBytes = 268_435_456
const partitionsPerLimit = 8
const closedAfterMs = 3_600_000

/**
 * Makes partitions ahead of time, and drops the oldest when they are too old or all of them too large. A partition that
 * grows is ended early, so that room is always won by dropping a whole one, never by deleting rows.
 */
export class Retention {
  readonly #options: RetentionOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #kept: Kept = { bytes: 0, partitions: 0, since: null }
  #droppedPartitions = 0

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.#cover(Date.now())
    this.#timer ??= setInterval(() => void this.tend(), intervalMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  get kept(): Kept {
    return this.#kept
  }

  get droppedPartitions(): number {
    return this.#droppedPartitions
  }

  /** Runs by itself now and then. Never throws: what did not work is tried again the next time. */
  tend(now = Date.now()): Promise<void> {
    this.#running = this.#running
      .then(() => this.#tend(now))
      .catch((error: unknown) => this.#options.log.warn('old events could not be looked after', { error }))
    return this.#running
  }

  async #tend(now: number): Promise<void> {
    const { store, indexesWords } = this.#options
    const { days, maxBytes } = this.#options.limits()
    await this.#cover(now)
    const oldest = BigInt(idAt(now - days * dayMs))
    await store.deleteStray(oldest)
    await this.#split(await store.list(), now)
    const list = await store.list()
    const kept = await this.#dropSurplus(list, { oldest, maxBytes, now: BigInt(idAt(now)) })
    const bytes = kept.reduce((sum, each) => sum + each.bytes, list.defaultBytes)
    this.#kept = { bytes, partitions: kept.length, since: kept[0] === undefined ? null : timeOfId(kept[0].from) }
    const closed = kept.filter(({ to }) => timeOfId(to) < now - closedAfterMs)
    if (indexesWords) await store.indexWords(closed)
  }

  /** Now and the next period have a partition. */
  async #cover(now: number): Promise<void> {
    const { store, days } = this.#options
    const periodMs = days * dayMs
    const first = Math.floor(now / periodMs) * periodMs
    const { partitions } = await store.list()
    for (const from of [first, first + periodMs]) {
      const [begin, end] = [BigInt(idAt(from)), BigInt(idAt(from + periodMs))]
      if (!partitions.some((each) => each.from < end && begin < each.to)) await store.create(begin, end)
    }
  }

  async #split({ partitions }: PartitionList, now: number): Promise<void> {
    const limit = Math.min(maxPartitionBytes, this.#options.limits().maxBytes / partitionsPerLimit)
    const id = BigInt(idAt(now))
    const current = partitions.find(({ from, to }) => from <= id && id < to)
    if (current !== undefined && current.bytes > limit) await this.#options.store.split(current)
  }

  async #dropSurplus(
    { partitions, defaultBytes }: PartitionList,
    { oldest, maxBytes, now }: { oldest: bigint; maxBytes: number; now: bigint },
  ): Promise<Partition[]> {
    const kept = [...partitions]
    let bytes = partitions.reduce((sum, each) => sum + each.bytes, defaultBytes)
    for (const partition of partitions) {
      const isClosed = partition.to <= now
      if (!isClosed || (partition.to > oldest && bytes <= maxBytes)) break
      await this.#options.store.drop(partition)
      this.#droppedPartitions++
      kept.shift()
      bytes -= partition.bytes
    }
    return kept
  }
}

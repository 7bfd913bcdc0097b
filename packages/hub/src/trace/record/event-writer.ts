import { BatchWriter, type BatchWriterStats } from '../../platform/store/batch-writer.ts'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { isPermanentFailure } from '../../platform/postgres/sql-state.ts'
import { encodeRow, type RecordedEvent } from './event-row.ts'
import { LineBuffer, splitLines, type LineChunk } from './line-buffer.ts'
import type { EventSink } from './recorder.ts'

export interface EventWriterOptions {
  readonly name: string
  readonly events: Events
  readonly log: Log
  /** Makes lines of COPY durable, all or none of them. */
  append(lines: readonly Buffer[]): Promise<void>
  /** Memory that events may wait in; further ones are dropped and counted. */
  readonly maxQueuedBytes?: number
}

const maxDelayMs = 100
const chunksPerBatch = 8

/** Brings events to the store in batches. A store that is too slow loses events, and the loss is counted and told. */
export class EventWriter implements EventSink {
  readonly #options: EventWriterOptions
  readonly #writer: BatchWriter<LineChunk>
  readonly #lines = new LineBuffer((chunk) => this.#queue(chunk))
  readonly #maxQueuedBytes: number
  #queuedBytes = 0
  #timer: NodeJS.Timeout | undefined
  #taken = 0
  #written = 0
  #dropped = 0
  /** Dropped and not told yet. */
  #lost = 0
  #lostSince = 0
  #isStopped = false

  constructor(options: EventWriterOptions) {
    this.#options = options
    this.#maxQueuedBytes = options.maxQueuedBytes ?? 67_108_864
    const { name, log } = options
    this.#writer = new BatchWriter({
      name,
      log,
      write: (chunks) => this.#write(chunks),
      maxBatch: chunksPerBatch,
      // Chunks have waited already.
      maxDelayMs: 0,
      maxQueued: Infinity,
    })
  }

  take(event: RecordedEvent): void {
    this.#taken++
    this.#lines.add(encodeRow(event))
    this.#timer ??= setTimeout(() => this.#seal(), maxDelayMs)
  }

  async flush(): Promise<void> {
    this.#seal()
    await this.#writer.flush()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#seal()
    await this.#writer.stop()
    this.#dropped = this.#taken - this.#written
  }

  stats(): BatchWriterStats {
    const queued = this.#taken - this.#written - this.#dropped
    return { queued, written: this.#written, dropped: this.#dropped, lastError: this.#writer.stats().lastError }
  }

  #seal(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#lines.seal()
  }

  #queue(chunk: LineChunk): void {
    if (this.#queuedBytes + chunk.bytes.length > this.#maxQueuedBytes) return this.#drop(chunk.lines)
    this.#queuedBytes += chunk.bytes.length
    this.#writer.add(chunk)
  }

  async #write(chunks: readonly LineChunk[]): Promise<void> {
    try {
      await this.#options.append(chunks.map(({ bytes }) => bytes))
      this.#settle(
        chunks,
        chunks.reduce((sum, { lines }) => sum + lines, 0),
      )
    } catch (error) {
      if (!isPermanentFailure(error)) throw error
      this.#options.log.warn(`${this.#options.name}: a row was refused`, { error })
      this.#settle(chunks, await this.#writeGood(chunks.flatMap(splitLines)))
    }
  }

  /** One bad row must not hold back the others: halve until it stands alone. Returns how many were written. */
  async #writeGood(lines: readonly Buffer[]): Promise<number> {
    try {
      await this.#options.append(lines)
      return lines.length
    } catch (error) {
      if (!isPermanentFailure(error)) throw error
      if (lines.length === 1) return 0
      const middle = lines.length >> 1
      return (await this.#writeGood(lines.slice(0, middle))) + (await this.#writeGood(lines.slice(middle)))
    }
  }

  #settle(chunks: readonly LineChunk[], written: number): void {
    this.#written += written
    for (const chunk of chunks) {
      this.#queuedBytes -= chunk.bytes.length
      this.#lines.reuse(chunk)
      written -= chunk.lines
    }
    if (written < 0) this.#drop(-written)
    if (this.#lost > 0 && this.#queuedBytes < this.#maxQueuedBytes / 2) this.#tellLoss()
  }

  #drop(count: number): void {
    this.#dropped += count
    if (this.#lost === 0) this.#lostSince = Date.now()
    this.#lost += count
  }

  // Told when the queue has room again, so that a store at its limit is not kept busy with the news of it.
  #tellLoss(): void {
    const count = this.#lost
    this.#lost = 0
    const since = new Date(this.#lostSince).toISOString()
    if (!this.#isStopped) this.#options.events.emit('events.dropped', null, { count, since })
  }
}

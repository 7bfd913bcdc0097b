import type { Log } from '../../platform/log.ts'
import type { Metric } from '../../platform/metric/metrics.ts'
import type { RecordedEvent } from '../record/event-row.ts'
import { viewOf } from '../event-view.ts'
import type { EventSink } from '../record/recorder.ts'
import type { OtlpTarget } from '../setting/trace-settings-registry.ts'
import { metricsOf } from './metrics-of.ts'
import { resourceOf, scopeOf } from './resource.ts'
import { spanOf } from './span-of.ts'

export interface OtlpPusherOptions {
  readonly version: string
  readonly log: Log
  target(): OtlpTarget | null
  /** Puts stored secrets in the place of their names. */
  resolveSecrets(text: string): string | Promise<string>
  redact(text: string): string
  metrics(): readonly Metric[]
}

export interface OtlpStats {
  readonly sent: number
  readonly dropped: number
  readonly queued: number
  readonly lastError: { readonly at: Date; readonly message: string } | null
}

const maxQueued = 10_000
const maxBatch = 1000
const timeoutMs = 10_000
const stopLimitMs = 2000

/** Sends spans of finished calls and the hub's figures to a collector. What it cannot get rid of is dropped and counted. */
export class OtlpPusher implements EventSink {
  readonly #options: OtlpPusherOptions
  readonly #startedAt = Date.now()
  readonly #stopping = new AbortController()
  #queue: RecordedEvent[] = []
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #sent = 0
  #dropped = 0
  #lastError: OtlpStats['lastError'] = null

  constructor(options: OtlpPusherOptions) {
    this.#options = options
  }

  take(recorded: RecordedEvent): void {
    if (recorded.event.kind !== 'call.finished' || this.#options.target() === null) return
    if (this.#queue.length < maxQueued) this.#queue.push(recorded)
    else this.#dropped++
  }

  /** Begins, or goes on with other settings. */
  restart(): void {
    clearInterval(this.#timer)
    const target = this.#options.target()
    if (target === null) {
      this.#dropped += this.#queue.splice(0).length
      return
    }
    this.#timer = setInterval(() => void this.push(), target.intervalMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const limit = setTimeout(() => this.#stopping.abort(), stopLimitMs)
    await this.push()
    clearTimeout(limit)
  }

  stats(): OtlpStats {
    return { sent: this.#sent, dropped: this.#dropped, queued: this.#queue.length, lastError: this.#lastError }
  }

  /** Sends what waits. Never throws. */
  push(): Promise<void> {
    return (this.#running ??= this.#push().finally(() => (this.#running = undefined)))
  }

  async #push(): Promise<void> {
    const target = this.#options.target()
    if (target === null) return
    try {
      while (this.#queue.length > 0) await this.#pushSpans(target)
      if (target.metrics) await this.#pushMetrics(target)
    } catch (error) {
      // What was not sent waits for the next time.
      this.#note(error as Error)
    }
  }

  async #pushSpans(target: OtlpTarget): Promise<void> {
    const batch = this.#queue.slice(0, maxBatch)
    const spans = batch.map((recorded) => spanOf(viewOf(recorded)))
    const { version } = this.#options
    const scopeSpans = [{ scope: scopeOf(version), spans }]
    const isTaken = await this.#post(target, 'traces', {
      resourceSpans: [{ resource: resourceOf(version), scopeSpans }],
    })
    this.#queue.splice(0, batch.length)
    if (isTaken) this.#sent += batch.length
    else this.#dropped += batch.length
  }

  async #pushMetrics(target: OtlpTarget): Promise<void> {
    const { version } = this.#options
    const metrics = metricsOf(this.#options.metrics(), { since: this.#startedAt, now: Date.now() })
    const scopeMetrics = [{ scope: scopeOf(version), metrics }]
    await this.#post(target, 'metrics', { resourceMetrics: [{ resource: resourceOf(version), scopeMetrics }] })
  }

  /** False when the collector refuses for good; throws when another try may help. */
  async #post(target: OtlpTarget, signal: 'traces' | 'metrics', body: object): Promise<boolean> {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    for (const [name, value] of Object.entries(target.headers))
      headers[name] = await this.#options.resolveSecrets(value)
    const url = new URL(target.endpoint)
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal}`
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      // A redirect would carry the headers to a place that nobody chose.
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal]),
    })
    await response.body?.cancel()
    if (response.ok) return true
    const error = new Error(`The collector answered ${signal} with status ${response.status}.`)
    if (response.status === 429 || response.status >= 500) throw error
    this.#note(error)
    return false
  }

  #note(error: Error): void {
    const reason = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
    const message = this.#options.redact(reason)
    // A collector that is away fails every few seconds; only a new reason is news.
    if (this.#lastError?.message !== message) this.#options.log.warn('OTLP: sending failed', { error: message })
    this.#lastError = { at: new Date(), message }
  }
}

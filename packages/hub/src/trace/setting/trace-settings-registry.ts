import { OtlpInput, TraceSettings, type TraceSettingsPatch } from '@herma/contract'
import { z } from 'zod'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { Signal } from '../../platform/signal.ts'
import { headerContext, type TraceSettingStore } from './store.ts'

/** Keeps text secret at rest; the context says whose text it is. */
export interface Seals {
  seal(plaintext: string, context: string): string
  open(sealed: string, context: string): string
}

export interface TraceSettingsRegistryOptions {
  readonly store: TraceSettingStore
  readonly seals: Seals
  readonly events: Events
  readonly log: Log
  /** Told of the header values, so that they are masked wherever they turn up. */
  onSecrets(values: readonly string[]): void
}

/** Where spans go, with the values that nobody is shown. */
export interface OtlpTarget {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly metrics: boolean
  readonly intervalMs: number
}

const gigabyte = 1_073_741_824
const Retention = TraceSettings.omit({ otlp: true })
type Retention = z.infer<typeof Retention>
const byDefault: Retention = { days: 14, maxBytes: 2 * gigabyte, auditDays: 400, auditMaxBytes: gigabyte }
const Headers = z.record(z.string(), z.string())

/** What somebody set about traces. */
export class TraceSettingsRegistry {
  readonly changed = new Signal()
  readonly #options: TraceSettingsRegistryOptions
  #retention = byDefault
  #otlp: OtlpTarget | null = null

  constructor(options: TraceSettingsRegistryOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const row = await this.#options.store.load()
    if (row === undefined) return
    // What a newer version wrote counts as far as it is understood.
    const retention = Retention.partial().safeParse(row.retention)
    if (retention.success) this.#retention = { ...byDefault, ...retention.data }
    const otlp = OtlpInput.safeParse(row.otlp)
    if (otlp.success) this.#setTarget({ ...otlp.data, headers: this.#openHeaders(row.otlpHeaders) })
  }

  get retention(): Retention {
    return this.#retention
  }

  get otlp(): OtlpTarget | null {
    return this.#otlp
  }

  view(): TraceSettings {
    const { headers, ...otlp } = this.#otlp ?? {}
    return {
      ...this.#retention,
      otlp: this.#otlp && { ...(otlp as Omit<OtlpTarget, 'headers'>), headers: Object.keys(headers ?? {}) },
    }
  }

  async change({ otlp, ...patch }: TraceSettingsPatch): Promise<TraceSettings> {
    const before = this.view()
    const retention = Retention.parse({ ...this.#retention, ...patch })
    const target =
      otlp === undefined ? this.#otlp : otlp && { ...otlp, headers: otlp.headers ?? this.#keptHeaders(otlp) }
    const { headers, ...rest } = target ?? {}
    await this.#options.store.save({
      retention,
      otlp: target && rest,
      otlpHeaders: headers === undefined ? null : this.#options.seals.seal(JSON.stringify(headers), headerContext),
    })
    this.#retention = retention
    this.#setTarget(target)
    this.changed.tell()
    const after = this.view()
    this.#options.events.emit('trace-settings.changed', null, { before, after })
    return after
  }

  // A key that was given for one collector must not be sent to another.
  #keptHeaders({ endpoint }: OtlpInput): Readonly<Record<string, string>> {
    return this.#otlp !== null && new URL(endpoint).origin === new URL(this.#otlp.endpoint).origin
      ? this.#otlp.headers
      : {}
  }

  #setTarget(target: OtlpTarget | null): void {
    this.#otlp = target
    this.#options.onSecrets(Object.values(target?.headers ?? {}))
  }

  #openHeaders(sealed: string | null): Record<string, string> {
    if (sealed === null) return {}
    try {
      return Headers.parse(JSON.parse(this.#options.seals.open(sealed, headerContext)))
    } catch (error) {
      this.#options.log.warn('the headers for the OTLP collector cannot be read; enter them again', { error })
      return {}
    }
  }
}

import type { Capture } from '@herma/contract'
import type { Events, HubEvent } from '../../platform/events.ts'
import { EventIds } from './event-id.ts'
import type { RecordedEvent } from './event-row.ts'
import { EventLimit } from './event-limit.ts'
import { freezeData } from './freeze-data.ts'

/** Where recorded events go. It must neither throw nor wait: it runs inside the calls of clients. */
export interface EventSink {
  take(event: RecordedEvent): void
}

/** Masks what must not be stored or shown, by value and by name. */
export interface Masks {
  redact(text: string): string
  redactValue(value: unknown): unknown
}

export interface RecorderOptions {
  readonly events: Events
  readonly masks: Masks
  /** What is recorded of the traffic of a served server. */
  captureOf(server: string): Capture
  readonly sinks: readonly EventSink[]
}

const maxTextCharacters = 1000
const maxKnownTexts = 1000
const forgetMs = 1000

/** Takes every event of the hub, masks secrets, gives it an id and hands it to the sinks. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #ids = new EventIds()
  readonly limit: EventLimit
  /** Names of tools and methods return all the time; masking each anew would cost more than all the rest. */
  readonly #known = new Map<string, string>()
  #stopListening: (() => void) | undefined
  #forgetTimer: NodeJS.Timeout | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
    this.limit = new EventLimit(options.events.limits)
  }

  start(): void {
    this.#stopListening ??= this.#options.events.listen((event) => this.record(event))
    // A secret that was stored a moment ago has to be masked in names too.
    this.#forgetTimer ??= setInterval(() => {
      this.#known.clear()
      this.#tellLimited(Date.now())
    }, forgetMs).unref()
  }

  stop(): void {
    this.#tellLimited(Infinity)
    this.#stopListening?.()
    clearInterval(this.#forgetTimer)
  }

  record(event: HubEvent): void {
    if (!this.#isWanted(event)) return
    const recorded: RecordedEvent = {
      id: this.#ids.next(),
      event,
      method: this.#mask(event.method),
      target: this.#mask(event.target),
      session: this.#mask(event.session),
      thread: this.#mask(event.thread),
      data: freezeData(event.data, this.#options.masks.redactValue),
    }
    for (const sink of this.#options.sinks) sink.take(recorded)
  }

  // Figures are made of every call, so the gateway reports it whatever is to be stored of it.
  #isWanted(event: HubEvent): boolean {
    const { kind, server } = event
    if (kind !== 'call.finished') return this.limit.take(event)
    return server === undefined || this.#options.captureOf(server).level !== 'off'
  }

  #tellLimited(now: number): void {
    for (const { connector, since, ...left } of this.limit.end(now))
      this.#options.events.emit('events.limited', connector, { ...left, since: new Date(since).toISOString() })
  }

  #mask(text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const masked = this.#options.masks.redact(text).slice(0, maxTextCharacters)
    if (this.#known.size >= maxKnownTexts) this.#known.clear()
    if (text.length <= maxTextCharacters) this.#known.set(text, masked)
    return masked
  }
}

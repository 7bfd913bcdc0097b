import type { BatchWriterStats } from '../../platform/store/batch-writer.ts'
import type { RecordedEvent } from './event-row.ts'
import { EventWriter, type EventWriterOptions } from './event-writer.ts'
import type { EventSink } from './recorder.ts'

const refusalsPerWindow = 100
const windowMs = 10_000

/** Keeps what has to be answered for later, apart from traffic. A flood of refusals is folded into a number. */
export class AuditLog implements EventSink {
  readonly #options: EventWriterOptions
  readonly #writer: EventWriter
  #refusals = 0
  #folded = 0
  #windowTimer: NodeJS.Timeout | undefined

  constructor(options: EventWriterOptions) {
    this.#options = options
    this.#writer = new EventWriter(options)
  }

  take(recorded: RecordedEvent): void {
    const { kind } = recorded.event
    // Nearly everything is one, and it is never audited.
    if (kind === 'call.finished' || !isAudited(kind)) return
    if (kind.endsWith('.refused') && !this.#admitsRefusal()) return
    this.#writer.take(recorded)
  }

  flush(): Promise<void> {
    return this.#writer.flush()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#windowTimer)
    await this.#writer.stop()
  }

  stats(): BatchWriterStats {
    return this.#writer.stats()
  }

  // Anybody who reaches the listener can be refused as often as he likes, which must not fill a log kept for a year.
  #admitsRefusal(): boolean {
    this.#windowTimer ??= setTimeout(() => this.#endWindow(), windowMs).unref()
    if (this.#refusals++ < refusalsPerWindow) return true
    this.#folded++
    return false
  }

  #endWindow(): void {
    const count = this.#folded
    this.#refusals = this.#folded = 0
    this.#windowTimer = undefined
    if (count > 0) this.#options.events.emit('refusals.folded', null, { count, windowMs })
  }
}

const auditedVerbs = new Set(
  (
    'added changed removed approved accepted reset rotated revoked generated set enabled disabled granted denied created ' +
    'deleted updated imported refused folded registered signed-in signed-out sign-in-failed started stopped ' +
    'given ordered password-set credentials-set credentials-removed cache-removed'
  )
    // One list of words reads better than thirty lines.
    .split(' '),
)

// They happen by themselves or belong to traffic.
const unauditedNouns = new Set(['downstream', 'call', 'message', 'part', 'question', 'route', 'connection'])

/** Whether an event of this kind is a change of configuration, a sign-in or a refusal. */
export function isAudited(kind: string): boolean {
  const end = kind.indexOf('.')
  // A server that changed its own tool is no act of a person; approving the change is.
  if (end < 0 || kind === 'tool.changed') return false
  return auditedVerbs.has(kind.slice(end + 1)) && !unauditedNouns.has(kind.slice(0, end))
}

import type { Capture, TraceStats } from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import type { Store } from '../platform/store/store.ts'
import { AuditLog } from './record/audit-log.ts'
import { CallMetrics } from './record/call-metrics.ts'
import { Captures } from './capture/captures.ts'
import { CaptureStore } from './capture/store.ts'
import { EventWriter } from './record/event-writer.ts'
import { Latencies } from './latency/latencies.ts'
import { LatencyStore } from './latency/latency-store.ts'
import { OtlpPusher } from './otlp/otlp-pusher.ts'
import { Recorder, type Masks } from './record/recorder.ts'
import { Retention } from './retention/retention.ts'
import { PartitionStore } from './retention/store.ts'
import type { TraceManagement } from './api.ts'
import { TraceSettingsRegistry, type Seals } from './setting/trace-settings-registry.ts'
import { TraceSettingStore } from './setting/store.ts'
import { SearchGate } from './search-gate.ts'
import { EventStore } from './store.ts'
import { Tail } from './tail.ts'
import { Traces } from './traces.ts'
import { traceMetrics } from './trace-metrics.ts'
import { describeStats } from './describe-stats.ts'

export interface OpenTraceOptions {
  readonly store: Store
  readonly events: Events
  readonly log: Log
  readonly version: string
  readonly masks: Masks
  readonly seals: Seals
  /** Names of the served servers. */
  servers(): readonly string[]
  /** Told of values that have to be masked everywhere. */
  onSecrets(values: readonly string[]): void
  /** Puts stored secrets in the place of `{secret:NAME}`. */
  resolveSecrets(text: string): string | Promise<string>
  /** All figures of the hub, for the collector. */
  metrics(): readonly Metric[]
}

export interface OpenTrace {
  readonly management: TraceManagement
  readonly metrics: readonly Metric[]
  /** Stores of values that are sealed, for a rotation of keys. */
  readonly sealedPlaces: readonly Pick<TraceSettingStore, 'name' | 'reseal'>[]
  /** What the gateway has to record of a served server. */
  captureOf(server: string): Capture
  /** Whether servers shall hear of traces that the hub began: somebody puts them together. */
  propagates(): boolean
  stop(): Promise<void>
}

/** Begins to record every event of the hub. */
export async function openTrace(options: OpenTraceOptions): Promise<OpenTrace> {
  const { store, events, log, masks, version } = options
  const eventStore = new EventStore(store.pool)
  const captures = new Captures({ store: new CaptureStore(store.db), events, servers: options.servers })
  const settingStore = new TraceSettingStore(store.db)
  const settings = new TraceSettingsRegistry({
    store: settingStore,
    seals: options.seals,
    events,
    log,
    onSecrets: options.onSecrets,
  })
  const pusher = new OtlpPusher({
    version,
    log,
    target: () => settings.otlp,
    resolveSecrets: options.resolveSecrets,
    redact: masks.redact,
    metrics: options.metrics,
  })
  settings.changed.listen(() => pusher.restart())
  const writer = new EventWriter({ name: 'events', events, log, append: (lines) => eventStore.append('event', lines) })
  const audit = new AuditLog({
    name: 'audit log',
    events,
    log,
    append: (lines) => eventStore.append('audit_event', lines),
  })
  const tail = new Tail()
  const retention = new Retention({
    store: new PartitionStore(store.pool, 'event'),
    days: 1,
    indexesWords: true,
    log,
    limits: () => settings.retention,
  })
  const auditRetention = new Retention({
    store: new PartitionStore(store.pool, 'audit_event'),
    days: 30,
    indexesWords: false,
    log,
    limits: () => ({ days: settings.retention.auditDays, maxBytes: settings.retention.auditMaxBytes }),
  })
  const recorder = new Recorder({
    events,
    masks,
    captureOf: (server) => captures.captureOf(server),
    sinks: [writer, audit, tail, pusher],
  })
  const calls = new CallMetrics()
  const gate = new SearchGate()
  const traces = new Traces({
    gate,
    store: eventStore,
    masks,
    tail,
    version,
    flush: () => Promise.all([writer.flush(), audit.flush()]),
  })
  const latencies = new Latencies({
    gate,
    store: new LatencyStore(eventStore),
    redact: masks.redact,
    settle: () => traces.settle(),
  })
  const parts = { recorder, writer, audit, tail, retention, auditRetention, pusher }

  await Promise.all([settings.start(), captures.start(), retention.start(), auditRetention.start()])
  const stopCounting = calls.start(events)
  recorder.start()
  pusher.restart()
  return {
    captureOf: (server) => captures.captureOf(server),
    propagates: () => settings.otlp !== null,
    metrics: [...calls.metrics, ...traceMetrics(parts)],
    sealedPlaces: [settingStore],
    management: {
      traces,
      captures,
      settings,
      latencies,
      stats: (): TraceStats => describeStats(parts, settings.otlp !== null),
    },
    async stop() {
      recorder.stop()
      stopCounting()
      await pusher.stop()
      await Promise.all([retention.stop(), auditRetention.stop()])
      await Promise.all([writer.stop(), audit.stop()])
    },
  }
}

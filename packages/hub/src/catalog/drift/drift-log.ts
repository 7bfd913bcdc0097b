import { type CatalogHistory, type DriftReport, HistoryLimits, type PruneReport } from '@herma/contract'
import type { Descriptor } from '../../wire/index.ts'
import type { Log } from '../../platform/log.ts'
import type { Metric } from '../../platform/metric/metrics.ts'
import { hashJson } from '../pin/hash-descriptor.ts'
import { contentHash, hashContents } from './content-hash.ts'
import { diffCatalogs } from './diff-catalogs.ts'
import type { DriftFiles } from './drift-files.ts'
import { driftMetrics } from './drift-metrics.ts'
import type { LastHashes, NewSnapshot, SnapshotStore } from './snapshot-store.ts'

export interface DriftLogOptions {
  readonly store: SnapshotStore
  readonly files: DriftFiles
  readonly log: Log
  /** What of the history is kept without anybody asking. */
  readonly limits?: HistoryLimits
}

interface Capture {
  readonly report: DriftReport
  readonly snapshots: readonly NewSnapshot[]
}

const maxHistory = 1000

/** Compares what clients get with what is intended, and keeps the history of both. */
export class DriftLog {
  readonly #options: DriftLogOptions
  readonly #limits: HistoryLimits
  #latest: DriftReport | null = null
  /** Hashes of what is in the store, and of what this hub has written to the files. */
  #stored: LastHashes = { intended: null, live: null }
  #filed: LastHashes = { intended: null, live: null }
  #storedDrift: string | null = null
  #snapshotCounts = { intended: 0, live: 0 }
  /** The capture that waits for the one being written; a newer one takes its place. */
  #waiting: Capture | null = null
  #writing: Promise<void> | null = null
  readonly metrics: readonly Metric[]

  constructor(options: DriftLogOptions) {
    this.#options = options
    this.#limits = options.limits ?? HistoryLimits.parse({})
    this.metrics = driftMetrics(() => ({ report: this.#latest, snapshots: this.#snapshotCounts }))
  }

  async start(): Promise<void> {
    const { store } = this.#options
    this.#stored = await store.lastHashes()
    this.#snapshotCounts = await store.count()
    const [last] = await store.drift(1)
    this.#latest = last ?? null
    this.#storedDrift = last === undefined ? null : driftKey(last)
  }

  /** What was recorded is written before this resolves. */
  async stop(): Promise<void> {
    await this.flush()
  }

  /** Compares the two lists, and stores what is new about them in the background. */
  async record(intended: readonly Descriptor[], live: readonly Descriptor[], at = new Date()): Promise<DriftReport> {
    await hashContents(intended)
    await hashContents(live)
    const snapshots = [toSnapshot('intended', intended, at), toSnapshot('live', live, at)] as const
    const [wanted, found] = snapshots
    const difference = diffCatalogs(intended, live)
    const { missing, extra, changed } = difference.counts
    const report: DriftReport = {
      at: at.toISOString(),
      hasDrift: missing + extra + changed > 0,
      intended: { hash: wanted.hash, tools: intended.length },
      live: { hash: found.hash, tools: live.length },
      ...difference,
    }
    // Of two captures at once the later one counts, whichever is compared first.
    if (this.#latest !== null && this.#latest.at > report.at) return report
    this.#latest = report
    this.#waiting = { report, snapshots }
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
    return report
  }

  /** Of the last capture, also of one before a restart; null when there was none ever. */
  latest(): DriftReport | null {
    return this.#latest
  }

  async history(limit: number): Promise<CatalogHistory> {
    await this.flush()
    const count = Math.min(Math.max(Math.trunc(limit), 1), maxHistory)
    const [snapshots, drift] = await Promise.all([
      this.#options.store.snapshots(count),
      this.#options.store.drift(count),
    ])
    return { snapshots, drift }
  }

  /** The tools of an earlier snapshot. */
  async tools(snapshotId: string): Promise<Descriptor[]> {
    await this.flush()
    return await this.#options.store.tools(snapshotId)
  }

  async prune(limits: HistoryLimits = this.#limits): Promise<PruneReport> {
    await this.flush()
    const report = await this.#options.store.prune(limits)
    this.#snapshotCounts = await this.#options.store.count()
    return report
  }

  /** Resolves when nothing waits to be written. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #writeAll(): Promise<void> {
    for (let capture = this.#take(); capture !== null; capture = this.#take()) {
      try {
        await this.#write(capture)
      } catch (error) {
        // The next capture brings whatever is still new, so that nothing but a moment of the history is lost.
        this.#options.log.warn('the history of the catalog could not be written', { error })
      }
    }
  }

  #take(): Capture | null {
    const capture = this.#waiting
    this.#waiting = null
    return capture
  }

  async #write({ report, snapshots }: Capture): Promise<void> {
    const { store, files } = this.#options
    const news = snapshots.filter(({ kind, hash }) => this.#stored[kind] !== hash)
    const key = driftKey(report)
    const isNewDrift = key !== this.#storedDrift
    if (news.length > 0 || isNewDrift) {
      await store.save(news, isNewDrift ? report : null)
      for (const { kind, hash } of news) this.#stored = { ...this.#stored, [kind]: hash }
      this.#storedDrift = key
      await store.prune(this.#limits)
      this.#snapshotCounts = await store.count()
    }
    if (isNewDrift) await files.appendDrift(report)
    // The files of another time, or of another state home, may say something else than the store.
    for (const { kind, hash, at, tools } of snapshots) {
      if (this.#filed[kind] === hash) continue
      await files.writeCatalog(kind, { hash, at, tools: [...tools.values()] })
      this.#filed = { ...this.#filed, [kind]: hash }
    }
  }
}

function toSnapshot(kind: NewSnapshot['kind'], list: readonly Descriptor[], at: Date): NewSnapshot {
  const tools = new Map(list.map((descriptor) => [contentHash(descriptor), descriptor] as const))
  return { kind, hash: hashJson([...tools.keys()]), at, tools }
}

/** Two reports with the same key say the same, at whatever time. */
function driftKey({ counts, missing, extra, changed }: DriftReport): string {
  return hashJson({ counts, missing, extra, changed })
}

import type { CacheHint, Icon } from '@modelcontextprotocol/server'
import type { StateOptions } from '../context/context.ts'
import { ConfigError } from '../protocol/errors.ts'
import { versions, type Version } from '../protocol/version.ts'
import type { Store } from '../store/store.ts'

/** How many requests of one connection run at once. */
export type Concurrency = 'parallel' | 'serial' | number

/** How a server is run; all of it has defaults. */
export interface RunOptions<S = unknown> {
  /** The protocol revisions to serve; all of them unless said otherwise. */
  readonly versions?: readonly Version[]
  readonly state?: StateOptions<S>
  /** Where state is kept; in this process unless said otherwise. */
  readonly store?: Store
  readonly concurrency?: Concurrency
  /** The longest that a request may take, questions to people aside; 60 seconds unless said otherwise, 0 means no end. */
  readonly timeoutMs?: number
  /** The longest that a question to the client may stay open; 10 minutes unless said otherwise, 0 means no end. */
  readonly questionTimeoutMs?: number
  /** What clients learn of an unexpected error: a reference only (`mask`), or its message (`expose`). */
  readonly errors?: 'mask' | 'expose' | ((error: unknown) => string)
  /** Keys that seal what waits with the client for an answer, the first for sealing, all for opening; 32 bytes each. */
  readonly stateKeys?: readonly Uint8Array[]
  readonly maxSubscriptions?: number
}

/** What a server says of itself, and how it is run. */
export interface ServerOptions<S = unknown> extends RunOptions<S> {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
  /** How a model should use this server as a whole. */
  readonly instructions?: string
  /** Entries on one page of a list; 100 unless said otherwise. */
  readonly pageSize?: number
  /** How long clients may keep lists. */
  readonly cache?: CacheHint
}

export interface Settings {
  readonly concurrency: number
  readonly timeoutMs: number
  readonly questionTimeoutMs: number
  readonly errors: 'mask' | 'expose' | ((error: unknown) => string)
  readonly maxSubscriptions: number
}

export function resolveSettings(options: RunOptions, defaultConcurrency: Concurrency): Settings {
  const { timeoutMs = 60_000, questionTimeoutMs = 600_000, maxSubscriptions = 1024 } = options
  checkFrom(0, { timeoutMs, questionTimeoutMs, maxSubscriptions })
  return {
    concurrency: toNumber(options.concurrency ?? defaultConcurrency),
    timeoutMs,
    // The SDK passes it to a timer, which fires at once when its delay is too long; 0 means no end.
    questionTimeoutMs: questionTimeoutMs === 0 ? maxTimerMs : Math.min(questionTimeoutMs, maxTimerMs),
    errors: options.errors ?? 'mask',
    maxSubscriptions,
  }
}

const maxTimerMs = 2 ** 31 - 1

export function checkVersions(served: readonly Version[]): readonly Version[] {
  const unknown = served.find((version) => !versions.includes(version))
  if (unknown === undefined && served.length > 0) return served
  throw new ConfigError(`versions has ${unknown ?? 'none'}.`, `Choose some of ${versions.join(', ')}.`)
}

/** Throws for a number that is NaN or too small. */
export function checkFrom(least: number, settings: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(settings)) {
    if (!(value >= least)) {
      throw new ConfigError(`${name} is ${String(value)}.`, `Give a number from ${least}.`)
    }
  }
}

function toNumber(concurrency: Concurrency): number {
  if (concurrency === 'parallel') return Infinity
  if (concurrency === 'serial') return 1
  if (concurrency >= 1) return concurrency
  throw new RangeError(`concurrency is ${concurrency}: use 'parallel', 'serial' or a number from 1.`)
}

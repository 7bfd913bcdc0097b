import type { Log } from './platform/log.ts'
import type { ClaimedHome } from './platform/store/claim-state-home.ts'

export interface HubOptions {
  readonly host: string
  readonly port: number
  readonly configHome: string
  readonly stateHome: string
  readonly databaseUrl?: string | undefined
  /** Where the master key is, when it is not in the state home. */
  readonly keyFile?: string | undefined
  /** A command that prints the master key. */
  readonly keyCommand?: string | undefined
  readonly log: Log
  readonly maxConnections?: number
  /** Idle time after which a legacy connection is forgotten. */
  readonly connectionIdleMs?: number
  readonly maxBodyBytes?: number
  /** Calls of modern clients that may wait for input. */
  readonly maxParked?: number
  /** How long a client may take to answer a question. */
  readonly questionMs?: number
  /** How long calls under way may take to end when the hub stops. */
  readonly graceMs?: number
  /** Told how many of them are left, whenever that changes. */
  readonly onDrain?: ((running: number) => void) | undefined
  /** Who reads HTTP: `fast` is Herma itself where a message is ordinary; `node` is node:http and undici for all. */
  readonly http?: 'fast' | 'node' | undefined
  /** The state home, when it was claimed before the hub was loaded. */
  readonly claimed?: Promise<ClaimedHome>
  /** Where the build of the web UI is, when it is not beside the hub. */
  readonly webFolder?: string
}

export interface Hub {
  readonly url: string
  /** Calls under way are waited for up to the grace; a second call can shorten it. */
  stop(graceMs?: number): Promise<void>
  readonly stopped: Promise<void>
}

/** What is allowed where nothing was said. */
export function limitsOf(options: HubOptions) {
  return {
    maxConnections: options.maxConnections ?? 10_000,
    maxPerPrincipal: 1000,
    idleMs: options.connectionIdleMs ?? 30 * 60_000,
    maxBodyBytes: options.maxBodyBytes ?? 16 * 1024 * 1024,
    maxParked: options.maxParked ?? 1000,
    questionMs: options.questionMs ?? 10 * 60_000,
  }
}

import { randomUUID } from 'node:crypto'
import type { ClientCapabilities, Implementation, JSONRPCNotification } from '@modelcontextprotocol/server'
import type { Version } from '../protocol/version.ts'
import { notifier } from './change.ts'
import type { Connection, ConnectionKind, EndReason, Notifier } from './connection.ts'
import { Semaphore } from './semaphore.ts'

export interface ConnectionOptions {
  readonly kind: ConnectionKind
  readonly version: Version
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly concurrency: number
  readonly id?: string
  readonly createdAt?: Date
  /** Sends a notification that belongs to no request. */
  announce(notification: JSONRPCNotification): void
  handleInfo(event: unknown, connection: LiveConnection): Promise<void>
  end(reason: EndReason): Promise<void>
}

/** A connection with what the server keeps of it: its state, its subscriptions and who waits for a turn. */
export class LiveConnection implements Connection {
  readonly id: string
  readonly kind: ConnectionKind
  readonly version: Version
  readonly client: Connection['client']
  readonly createdAt: Date
  readonly semaphore: Semaphore
  readonly subscriptions = new Set<string>()
  /** The state of a low-level `Behaviour`; undefined until `init` ran. */
  behaviourState: unknown = undefined
  readonly #options: ConnectionOptions
  readonly #exclusive = new Map<string, Semaphore>()
  #lastSeenMs = Date.now()

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.id = options.id ?? randomUUID()
    this.kind = options.kind
    this.version = options.version
    this.client = options.client
    this.createdAt = options.createdAt ?? new Date()
    this.semaphore = new Semaphore(options.concurrency)
  }

  get lastSeen(): Date {
    return new Date(this.#lastSeenMs)
  }

  get lastSeenMs(): number {
    return this.#lastSeenMs
  }

  /** The semaphore of a tool that never runs twice at once. */
  exclusive(tool: string): Semaphore {
    let semaphore = this.#exclusive.get(tool)
    if (semaphore === undefined) this.#exclusive.set(tool, (semaphore = new Semaphore(1)))
    return semaphore
  }

  get notify(): Notifier {
    return notifier((change) => this.#options.announce({ jsonrpc: '2.0', ...change }))
  }

  seen(): void {
    this.#lastSeenMs = Date.now()
  }

  get send(): Connection['send'] {
    return (event) => this.#options.handleInfo(event, this)
  }

  get close(): Connection['close'] {
    return (reason: EndReason = 'shutdown') => this.#options.end(reason)
  }
}

/** The most resources that one client can have us watch, and the longest URI among them. */
export const watchLimits = { resources: 1000, uriLength: 8192 } as const

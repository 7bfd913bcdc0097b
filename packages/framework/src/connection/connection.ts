import type { ClientCapabilities, Implementation, LoggingLevel } from '@modelcontextprotocol/server'
import type { McpError } from '../protocol/errors.ts'
import type { Version } from '../protocol/version.ts'

/** How a client reaches us; `sse` is the HTTP+SSE transport of 2024-11-05. */
export type ConnectionKind = 'stdio' | 'http' | 'sse' | 'memory'

/** Why a connection ended. */
export type EndReason = 'client' | 'idle' | 'shutdown' | 'evicted' | 'lost' | McpError

/** Announces changes to clients that asked to hear of them. */
export interface Notifier {
  toolsChanged(): void
  promptsChanged(): void
  resourcesChanged(): void
  resourceUpdated(uri: string): void
}

/** One client that talks to us: lasting for legacy clients, as long as one request for modern ones over HTTP. */
export interface Connection {
  readonly id: string
  readonly kind: ConnectionKind
  readonly version: Version
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly createdAt: Date
  readonly lastSeen: Date
  /** Announces to this client only. */
  readonly notify: Notifier
  /** Hands an event to `Behaviour.handleInfo` of this connection. */
  send(event: unknown): Promise<void>
  close(reason?: EndReason): Promise<void>
}

/** The living legacy connections of this process. */
export interface Connections extends Iterable<Connection> {
  readonly size: number
  get(id: string): Connection | undefined
}

/** What another process needs to go on with a connection. */
export interface ConnectionRecord {
  readonly server: string
  readonly version: Version
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities }
  readonly principal?: string
  readonly subscriptions: readonly string[]
  readonly logLevel?: LoggingLevel
  readonly createdAt: number
}

import { channel, type Channel } from 'node:diagnostics_channel'
import type { RequestId } from '@modelcontextprotocol/server'
import type { ConnectionKind, EndReason } from '../connection/connection.ts'
import type { Version } from '../protocol/version.ts'

interface At {
  readonly server: string
  readonly connection?: string
}

interface Operation extends At {
  readonly method: string
  /** The name of the tool or prompt, or the URI. */
  readonly target: string | undefined
  readonly requestId: RequestId
  readonly version: Version
  readonly kind: ConnectionKind
  readonly principal?: string
  /** `_meta` of the request: a bridge finds `traceparent` there. */
  readonly meta: Readonly<Record<string, unknown>>
}

/** Why an operation failed: `type` for metrics, the error itself for people. */
interface Failure {
  readonly type: string
  readonly code?: number
  readonly error: unknown
  /** What a client was told in place of a masked message. */
  readonly reference?: string
}

interface Ended extends Operation {
  readonly ms: number
  readonly failure?: Failure
}

/** What happens in a server, by the name of its `diagnostics_channel`. */
export interface Events {
  'mcp.server.start': At & { readonly version: string }
  'mcp.server.stop': At
  'mcp.connection.opened': At & { readonly kind: ConnectionKind; readonly version: Version }
  'mcp.connection.restored': At & { readonly kind: ConnectionKind }
  'mcp.connection.closed': At & {
    readonly kind: ConnectionKind
    readonly reason: EndReason
    readonly ms: number
    readonly version?: Version
  }
  /**
   * `key` is the same object at start and end, so that a bridge can keep its span in a WeakMap. `arguments` are those of
   * a tool or prompt: a listener writes them down only where its owner asked for that.
   */
  'mcp.request.start': Operation & { readonly key: object; readonly arguments?: unknown }
  /** `isError` as in the result of a tool: the request was answered, the tool failed. */
  'mcp.request.end': Ended & { readonly key: object; readonly isError?: boolean }
  'mcp.notification.received': At & { readonly method: string }
  'mcp.notification.sent': At & { readonly method: string }
  'mcp.tool.call': Ended & { readonly isError: boolean }
  'mcp.resource.read': Ended
  'mcp.prompt.get': Ended
  /** A question to the client, from asking to its answer. */
  'mcp.client.request': Ended
  'mcp.progress': At & { readonly requestId: RequestId; readonly done: number; readonly total?: number }
  'mcp.transport.open': At & { readonly kind: ConnectionKind; readonly address?: string }
  'mcp.transport.close': At & { readonly kind: ConnectionKind }
  'mcp.transport.error': At & { readonly kind: ConnectionKind; readonly error: unknown }
  'mcp.batch': At & { readonly size: number }
  'mcp.auth': At & {
    readonly outcome: 'ok' | 'missing' | 'invalid' | 'expired' | 'audience' | 'scope' | 'unavailable'
    readonly status?: number
  }
  'mcp.cluster.node': At & { readonly change: 'up' | 'down'; readonly node: string }
  'mcp.child.restart': { readonly child: string; readonly attempt: number; readonly error: unknown }
  /** An error that nobody else hears of: thrown by a handler and masked, or by a callback. */
  'mcp.error': At & { readonly error: unknown; readonly reference?: string }
}

/** The name of an event, which is that of its `diagnostics_channel` too. */
export type EventName = keyof Events

const channels = new Map<EventName, Channel>()

/** Publishes an event; `describe` runs only when somebody listens, so events cost nothing until then. */
export function emit<Name extends EventName>(name: Name, describe: () => Events[Name]): void {
  let known = channels.get(name)
  if (known === undefined) channels.set(name, (known = channel(name)))
  if (known.hasSubscribers) known.publish(describe())
}

let errorReaders = 0

/** Says that errors are written down elsewhere, so that they need not go to standard error. Returns its end. */
export function takeOverErrors(): () => void {
  errorReaders++
  return () => void errorReaders--
}

export function hasErrorReader(): boolean {
  return errorReaders > 0
}

export function hasListeners(name: EventName): boolean {
  return channel(name).hasSubscribers
}

/**
 * Hears an event of every server in this process. Returns the function that ends it. What the listener throws is counted
 * and warned of once, and the server goes on.
 */
export function on<Name extends EventName>(name: Name, hear: (event: Events[Name]) => void): () => void {
  let isWarned = false
  const listener = (event: unknown) => {
    try {
      hear(event as Events[Name])
    } catch (error) {
      // diagnostics_channel would raise it as an uncaught exception, which ends the process.
      failures.set(name, (failures.get(name) ?? 0) + 1)
      if (!isWarned) warnOf(name, error)
      isWarned = true
    }
  }
  channel(name).subscribe(listener)
  return () => {
    channel(name).unsubscribe(listener)
  }
}

const failures = new Map<EventName, number>()

/** How often listeners threw, by the event that they heard. */
export function listenerFailures(): ReadonlyMap<EventName, number> {
  return failures
}

function warnOf(name: EventName, error: unknown): void {
  const detail = error instanceof Error ? error.stack : String(error)
  process.emitWarning(`A listener for '${name}' threw. It stays subscribed; further failures are only counted.`, {
    type: 'TelemetryWarning',
    detail,
  })
}

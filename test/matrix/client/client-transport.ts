import type { RequestId, WireMessage } from '../wire-message.ts'

export type ClientTransportKind = 'http' | 'stdio' | 'sse'

/** What a transport tells its client. */
export interface TransportEvents {
  /** A message, or the array that answers a batch. */
  onMessage(message: WireMessage | readonly WireMessage[]): void
  /** The transport refused a message or broke; without an id everything under way is lost. */
  onFailure(id: RequestId | null, error: Error): void
}

/** Carries the messages of one client, whatever their meaning. */
export interface ClientTransport {
  readonly kind: ClientTransportKind
  open(events: TransportEvents): Promise<void>
  /** Resolves when the other side has taken it. What comes back goes to the events. */
  send(message: WireMessage | readonly WireMessage[], headers?: Record<string, string>): Promise<void>
  /** The revision that was agreed on. */
  agreed?(revision: string): void
  /** Opens the stream for what belongs to no request, where the transport has one. */
  listen?(): Promise<void>
  /** Closes the stream of a request, where it has one of its own; that cancels it in the modern era. */
  abandon?(id: RequestId): void
  close(): Promise<void>
}

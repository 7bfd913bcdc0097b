import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server'
import { offersOf, type Host } from '../server/host.ts'
import { ModernProtocol } from './modern-protocol.ts'
import type { Peer } from './peer.ts'

/**
 * The protocol of all modern clients. What a server offers is fixed when the SDK's server is made; when it changes, new
 * requests go to a new one, and the old one serves what it has begun.
 */
export class ModernProtocols {
  readonly #host: Host
  readonly #all = new Set<ModernProtocol>()
  #current: { readonly protocol: ModernProtocol; readonly offers: string } | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** Requests under way, and subscriptions. */
  get size(): number {
    let size = 0
    for (const protocol of this.#all) size += protocol.size
    return size
  }

  /** Capabilities may have changed: then clients that come from now on learn of them. */
  renew(): void {
    if (this.#current !== undefined && this.#current.offers !== offersOf(this.#host)) this.#current = undefined
  }

  /** Serves a request whose envelope was checked. The function that it returns cancels it. */
  receive(message: JSONRPCRequest, peer: Peer): () => void {
    return this.#open().receive(message, peer)
  }

  notice(message: JSONRPCNotification, peer: Peer): void {
    if (message.method !== 'notifications/cancelled') return this.#host.noticed(message, this.#host.connectionOf(peer))
    for (const protocol of this.#all) protocol.cancel(peer, message.params?.['requestId'])
  }

  /** Ends what a peer that is gone left behind. */
  leave(peer: Peer): void {
    for (const protocol of this.#all) protocol.leave(peer)
    this.#dropIdle()
  }

  /** Tells listening clients, or one of them, that it is over. */
  finish(peer?: Peer): void {
    for (const protocol of this.#all) protocol.finish(peer)
  }

  #open(): ModernProtocol {
    if (this.#current !== undefined) return this.#current.protocol
    this.#dropIdle()
    const protocol = new ModernProtocol(this.#host)
    this.#current = { protocol, offers: offersOf(this.#host) }
    this.#all.add(protocol)
    return protocol
  }

  #dropIdle(): void {
    for (const protocol of this.#all) {
      if (protocol.size === 0 && protocol !== this.#current?.protocol) this.#all.delete(protocol)
    }
  }
}

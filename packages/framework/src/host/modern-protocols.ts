import {
  PerRequestHTTPServerTransport,
  Server,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type ServerContext,
  type TransportSendOptions,
  type JSONRPCNotification,
} from '@modelcontextprotocol/server'
import { modernVersion } from '../protocol/version.ts'
import { serveExtraMethods } from './extra-methods.ts'
import { type Host, offersOf } from './host.ts'
import type { Peer } from './peer.ts'
import { Subscriptions } from './subscriptions.ts'

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

const classification = { era: 'modern', revision: modernVersion } as const

interface Pending {
  readonly peer: Peer
  /** As the client numbered it; ids of different clients may be equal. */
  readonly id: RequestId
}

/**
 * Serves modern requests of every client with one SDK server: they carry everything themselves, so nothing is built for
 * each of them. Ids are renumbered on the way in, because each client numbers its own.
 */
export class ModernProtocol {
  readonly #host: Host
  readonly #server: Server
  readonly #transport: SharedTransport
  readonly #subscriptions: Subscriptions
  readonly #pending = new Map<RequestId, Pending>()
  #lastId = 0

  constructor(host: Host) {
    this.#host = host
    this.#subscriptions = new Subscriptions(host)
    this.#server = new Server(host.info, { ...host.sdkOptions(), supportedProtocolVersions: [modernVersion] })
    this.#transport = new SharedTransport((message, related) => this.#deliver(message, related))
    const run = (request: { method: string; params?: object }, context: ServerContext) => this.#run(request, context)
    this.#server.fallbackRequestHandler = run
    serveExtraMethods(this.#server, host.behaviour, run)
    this.#server.onerror = (error) => host.report(error)
    // The transport is ready when it is made, so that the first message can follow at once.
    this.#server.connect(this.#transport).catch((error: unknown) => host.report(error))
  }

  /** Requests under way, `subscriptions/listen` included. */
  get size(): number {
    return this.#pending.size + this.#subscriptions.size
  }

  /** Serves a request whose envelope was checked. The function that it returns cancels it. */
  receive(message: JSONRPCRequest, peer: Peer): () => void {
    if (message.method === 'subscriptions/listen') return this.#subscriptions.open(message, peer)
    const id = ++this.#lastId
    this.#pending.set(id, { peer, id: message.id })
    this.#transport.onmessage?.({ ...message, id }, { classification })
    return () => this.#cancel(id)
  }

  /** Cancels what the peer knows by this id: a request, or a subscription. */
  cancel(peer: Peer, id: unknown): void {
    if (this.#subscriptions.cancel(peer, id)) return
    for (const [inner, pending] of this.#pending) {
      if (pending.peer === peer && pending.id === id) this.#cancel(inner)
    }
  }

  /** Ends what a peer that is gone left behind. */
  leave(peer: Peer): void {
    this.#subscriptions.leave(peer)
    for (const [id, pending] of this.#pending) if (pending.peer === peer) this.#cancel(id)
  }

  /** Tells listening clients, or one of them, that it is over. */
  finish(peer?: Peer): void {
    this.#subscriptions.finish(peer)
  }

  #run(request: { method: string; params?: object }, context: ServerContext) {
    const pending = this.#pending.get(context.mcpReq.id)
    if (pending === undefined) throw new Error('A request without a peer reached the protocol.')
    const { peer, id } = pending
    const message = { jsonrpc: '2.0', id, ...request } as JSONRPCRequest
    return this.#host.run(message, { sdk: context, server: this.#server, peer, origin: peer, version: modernVersion })
  }

  #deliver(message: JSONRPCMessage, related: RequestId | undefined): void {
    if (!('method' in message)) {
      const pending = message.id === undefined ? undefined : this.#pending.get(message.id)
      if (pending === undefined) return
      this.#pending.delete(message.id!)
      message.id = pending.id
      pending.peer.send(message, pending.id)
      return
    }
    const pending = related === undefined ? undefined : this.#pending.get(related)
    if (pending !== undefined) pending.peer.send(message, pending.id)
  }

  #cancel(id: RequestId): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    this.#pending.delete(id)
    const params = { requestId: id, reason: 'The client left or cancelled.' }
    this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, { classification })
    pending.peer.dropped?.(pending.id)
  }
}

/** The SDK binds a server to a modern revision only by its own transport for one request; this one never ends. */
class SharedTransport extends PerRequestHTTPServerTransport {
  readonly #deliver: (message: JSONRPCMessage, related: RequestId | undefined) => void

  constructor(deliver: (message: JSONRPCMessage, related: RequestId | undefined) => void) {
    super({ classification })
    this.#deliver = deliver
  }

  override async start(): Promise<void> {}

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#deliver(message, options?.relatedRequestId)
  }

  override async close(): Promise<void> {}
}

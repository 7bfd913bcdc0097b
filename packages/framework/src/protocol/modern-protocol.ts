import {
  PerRequestHTTPServerTransport,
  Server,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type ServerContext,
  type TransportSendOptions,
} from '@modelcontextprotocol/server'
import type { Host } from '../server/host.ts'
import { serveExtraMethods } from './extra-methods.ts'
import { Listening } from './listening.ts'
import type { Peer } from './peer.ts'
import { modernVersion } from './version.ts'

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
  readonly #listening: Listening
  readonly #pending = new Map<RequestId, Pending>()
  #lastId = 0

  constructor(host: Host) {
    this.#host = host
    this.#listening = new Listening(host)
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
    return this.#pending.size + this.#listening.size
  }

  /** Serves a request whose envelope was checked. The function that it returns cancels it. */
  receive(message: JSONRPCRequest, peer: Peer): () => void {
    if (message.method === 'subscriptions/listen') return this.#listening.open(message, peer)
    const id = ++this.#lastId
    this.#pending.set(id, { peer, id: message.id })
    this.#transport.onmessage?.({ ...message, id }, { classification })
    return () => this.#cancel(id)
  }

  /** Cancels what the peer knows by this id: a request, or a subscription. */
  cancel(peer: Peer, id: unknown): void {
    if (this.#listening.cancel(peer, id)) return
    for (const [inner, pending] of this.#pending) {
      if (pending.peer === peer && pending.id === id) this.#cancel(inner)
    }
  }

  /** Ends what a peer that is gone left behind. */
  leave(peer: Peer): void {
    this.#listening.leave(peer)
    for (const [id, pending] of this.#pending) if (pending.peer === peer) this.#cancel(id)
  }

  /** Tells listening clients, or one of them, that it is over. */
  finish(peer?: Peer): void {
    this.#listening.finish(peer)
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

import { randomUUID } from 'node:crypto'
import {
  classifyInboundRequest,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { ConnectionKind, EndReason } from '../connection/connection.ts'
import type { Host } from '../host/host.ts'
import type { LegacyProtocol } from '../host/legacy-protocol.ts'
import type { Origin, Peer } from '../host/peer.ts'
import { Batch, batchVersion, maxBatchSize } from '../protocol/batch.ts'
import { errorCode } from '../protocol/errors.ts'
import { isNotification, isRequest, errorMessage, readMessage, writableMessage } from '../protocol/message.ts'
import { modernVersion } from '../protocol/version.ts'
import { emit } from '../telemetry/events.ts'
import { metaKeys, metaOf } from '../wire/meta.ts'

export interface ChannelOptions extends Origin {
  readonly kind: ConnectionKind
  /** Takes one message, or an array that answers a batch. */
  write(message: JSONRPCMessage | readonly JSONRPCMessage[]): void
}

/**
 * One client at the other end of a pipe that carries messages both ways: standard streams, memory, a socket. Each message
 * says its era itself, so a client may probe with a modern one and go on as a legacy one.
 */
export class Channel implements Peer {
  readonly kind: ConnectionKind
  readonly principal: Origin['principal']
  readonly http: Origin['http']
  readonly #host: Host
  readonly #write: ChannelOptions['write']
  readonly #batches = new Set<Batch>()
  readonly #legacy: LegacyProtocol
  #isClosed = false

  constructor(host: Host, { kind, write, principal, http }: ChannelOptions) {
    this.#host = host
    this.kind = kind
    this.principal = principal
    this.http = http
    this.#write = write
    this.#legacy = host.openLegacy(this, randomUUID())
  }

  get legacy(): LegacyProtocol {
    return this.#legacy
  }

  /** Takes what the client sent, parsed: a message or, on 2025-03-26, a batch of them. */
  receive(value: unknown): void {
    if (Array.isArray(value)) return this.#receiveBatch(value)
    const read = readMessage(value)
    if ('refusal' in read) return this.#write(read.refusal)
    if (isModern(read.message)) this.#receiveModern(read.message)
    else this.#receiveLegacy(read.message)
  }

  send(message: JSONRPCMessage): void {
    if (this.#isClosed) return
    for (const batch of this.#batches) if (batch.take(message)) return
    try {
      this.#write(message)
    } catch {
      const instead = this.#writable(message)
      if (instead !== undefined) this.#write(instead)
    }
  }

  dropped(request: RequestId): void {
    for (const batch of this.#batches) batch.drop(request)
  }

  async close(reason: EndReason): Promise<void> {
    if (this.#isClosed) return
    if (reason === 'shutdown') this.#host.modern.finish(this)
    this.#isClosed = true
    this.#host.modern.leave(this)
    await this.#legacy.close(reason)
  }

  /** The message, or an error in its place when a handler returned something that JSON cannot hold. */
  #writable(message: JSONRPCMessage): JSONRPCMessage | undefined {
    return writableMessage(message, (error) => this.#host.mask(error))
  }

  #receiveLegacy(message: JSONRPCMessage): void {
    // A cancellation may come without an envelope: whichever era knows the request takes it.
    if (isCancellation(message)) this.#host.modern.notice(message, this)
    if (this.#host.servesLegacy) return this.#legacy.receive(message, this)
    if (!isRequest(message)) return
    const data = { supported: this.#host.versions }
    this.#write(errorMessage(message.id, errorCode.unsupportedVersion, `Only ${modernVersion} is served here.`, data))
  }

  #receiveModern(message: JSONRPCMessage): void {
    const id = 'id' in message ? (message.id ?? null) : null
    const sorted = classifyInboundRequest({ httpMethod: 'POST', body: message })
    if (sorted.kind === 'reject') return this.#write(errorMessage(id, sorted.code, sorted.message, sorted.data))
    const requested = metaOf('params' in message ? message.params : undefined)?.[metaKeys.revision]
    if (requested !== modernVersion || !this.#host.servesModern) {
      // What `server/discover` names: legacy revisions are negotiated by `initialize`.
      const data = { supported: this.#host.servesModern ? [modernVersion] : [], requested }
      const text = `Unsupported protocol version: ${String(requested)}`
      return this.#write(errorMessage(id, errorCode.unsupportedVersion, text, data))
    }
    if (isRequest(message)) this.#host.modern.receive(message, this)
    else if (isNotification(message)) this.#host.modern.notice(message, this)
  }

  #receiveBatch(values: readonly unknown[]): void {
    emit('mcp.batch', () => ({ server: this.#host.info.name, connection: this.#legacy.id, size: values.length }))
    const refuse = (text: string) => this.#write(errorMessage(null, errorCode.invalidRequest, text))
    if (this.#legacy.connection?.version !== batchVersion) {
      return refuse(`Batches belong to ${batchVersion}; send the messages one by one.`)
    }
    if (values.length === 0) return refuse('A batch must not be empty.')
    if (values.length > maxBatchSize) return refuse(`A batch has at most ${maxBatchSize} messages.`)
    const read = values.map(readMessage)
    const messages = read.flatMap((entry) => ('message' in entry ? [entry.message] : []))
    const refusals = read.flatMap((entry) => ('refusal' in entry ? [entry.refusal] : []))
    const batch = new Batch(messages, (answers) => {
      this.#batches.delete(batch)
      const all = [...refusals, ...answers]
      const writable = all.flatMap((answer) => this.#writable(answer) ?? [])
      if (writable.length > 0) this.#write(writable)
    })
    this.#batches.add(batch)
    for (const message of messages) this.#legacy.receive(message, this)
    batch.handedOver()
  }
}

function isModern(message: JSONRPCMessage): boolean {
  return 'method' in message && metaOf(message.params)?.[metaKeys.revision] !== undefined
}

function isCancellation(message: JSONRPCMessage): message is JSONRPCNotification {
  return isNotification(message) && message.method === 'notifications/cancelled'
}

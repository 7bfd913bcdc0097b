import {
  isInitializeRequest,
  isSpecType,
  Server,
  type ClientCapabilities,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type LoggingLevel,
  type MessageExtraInfo,
  type RequestId,
  type ServerContext,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server'
import type { ConnectionRecord, EndReason } from '../connection/connection.ts'
import { LiveConnection } from '../connection/live-connection.ts'
import type { Change } from '../connection/change.ts'
import type { Host } from './host.ts'
import { emit } from '../telemetry/events.ts'
import { errorCode, McpError } from '../protocol/errors.ts'
import { serveExtraMethods } from './extra-methods.ts'
import { isNotification, isRequest } from '../protocol/message.ts'
import type { Origin, Peer } from './peer.ts'
import { legacyVersions, type Version } from '../protocol/version.ts'

/** One connection of a legacy client: an SDK server of its own, opened by `initialize`, or by what a store kept of it. */
export class LegacyProtocol {
  readonly id: string
  readonly #host: Host
  readonly #peer: Peer
  readonly #server: Server
  readonly #pipe: Pipe
  readonly #underWay = new Map<RequestId, Origin>()
  /** The ids of our own questions that are open, as text: some clients answer number 1 with '1'. */
  readonly #asked = new Set<string>()
  readonly #versions: readonly Version[]
  #connection: LiveConnection | undefined
  #logLevel: LoggingLevel | undefined
  #stopHearing: (() => void) | undefined
  #opening: Promise<void> | undefined
  #isClosed = false

  constructor(host: Host, peer: Peer, id: string) {
    this.#host = host
    this.#peer = peer
    this.id = id
    this.#versions = legacyVersions(host.versions)
    this.#server = new Server(host.info, { ...host.sdkOptions(), supportedProtocolVersions: [...this.#versions] })
    this.#pipe = new Pipe(id, (message, related) => this.#send(message, related))
    const run = (request: { method: string; params?: object }, context: ServerContext) => this.#run(request, context)
    this.#server.fallbackRequestHandler = run
    this.#server.fallbackNotificationHandler = async (message) => this.#notice(message as JSONRPCNotification)
    serveExtraMethods(this.#server, host.behaviour, run)
    this.#server.onerror = (error) => host.report(error)
    // The pipe is ready when it is made, so that the first message can follow at once.
    this.#server.connect(this.#pipe).catch((error: unknown) => host.report(error))
  }

  /** Undefined until the client has been let in. */
  get connection(): LiveConnection | undefined {
    return this.#connection
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Takes any message of the client: request, notification, or the answer to a question of ours. */
  receive(message: JSONRPCMessage, origin: Origin): void {
    this.#connection?.seen()
    if (isRequest(message)) return this.#receiveRequest(message, origin)
    // An answer that is late, or to nothing: the SDK would write it into the log, whatever the person had typed.
    if (!('method' in message) && !this.#asked.delete(String(message.id))) return
    this.#pipe.onmessage?.(message)
    if (!isNotification(message) || message.method !== 'notifications/cancelled') return
    const id = message.params?.['requestId'] as RequestId
    if (this.#underWay.delete(id)) this.#peer.dropped?.(id)
  }

  /** What another process needs to go on with this connection. */
  record(principal: string | undefined): ConnectionRecord | undefined {
    const connection = this.#connection
    if (connection === undefined) return undefined
    return {
      server: this.#host.info.name,
      version: connection.version,
      client: connection.client,
      subscriptions: [...connection.subscriptions],
      createdAt: connection.createdAt.getTime(),
      ...(principal !== undefined && { principal }),
      ...(this.#logLevel !== undefined && { logLevel: this.#logLevel }),
    }
  }

  /** Goes on with a connection that another process opened: its opening is replayed, its answer kept from the client. */
  async restore(record: ConnectionRecord, origin: Origin): Promise<void> {
    const { version, client } = record
    const params = { protocolVersion: version, capabilities: client.capabilities, clientInfo: client.info }
    await this.#pipe.replay('initialize', params)
    await this.#open({ version, ...client, createdAt: new Date(record.createdAt) }, origin)
    for (const uri of record.subscriptions) this.#connection?.subscriptions.add(uri)
    if (record.logLevel !== undefined) {
      this.#logLevel = record.logLevel
      await this.#pipe.replay('logging/setLevel', { level: record.logLevel })
    }
    emit('mcp.connection.restored', () => ({
      server: this.#host.info.name,
      connection: this.id,
      kind: this.#peer.kind,
    }))
  }

  async close(reason: EndReason): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stopHearing?.()
    this.#peer.closed?.(reason)
    await this.#server.close()
    if (this.#connection !== undefined) await this.#host.ended(this.#connection, reason)
  }

  #receiveRequest(message: JSONRPCRequest, origin: Origin): void {
    const { id, method } = message
    if (this.#underWay.has(id)) return this.#refuse(id, errorCode.invalidRequest, `Request ${id} is still under way.`)
    // A client may not wait for the answer to its opening; its requests wait here, a second opening too.
    if (this.#opening !== undefined) return void this.#opening.then(() => this.#receiveRequest(message, origin))
    if (method === 'initialize') {
      this.#opening = this.#initialize(message, origin).finally(() => (this.#opening = undefined))
      return
    }
    if (this.#connection === undefined && method !== 'ping') {
      return this.#refuse(id, errorCode.invalidRequest, "Send 'initialize' first: this connection is not open yet.")
    }
    if (method === 'logging/setLevel') {
      const level = message.params?.['level']
      if (!isSpecType.LoggingLevel(level)) {
        return this.#refuse(id, errorCode.invalidParams, "Invalid params: 'level' must be one from debug to emergency.")
      }
      this.#logLevel = level
    }
    this.#underWay.set(id, origin)
    this.#pipe.onmessage?.(message)
  }

  async #initialize(message: JSONRPCRequest, origin: Origin): Promise<void> {
    const { id } = message
    if (this.#connection !== undefined) {
      return this.#refuse(id, errorCode.invalidRequest, 'This connection is open already.')
    }
    if (!isInitializeRequest(message)) {
      return this.#refuse(id, errorCode.invalidParams, 'initialize needs protocolVersion, capabilities and clientInfo.')
    }
    try {
      const { protocolVersion, clientInfo, capabilities } = message.params
      const version = this.#versions.find((served) => served === protocolVersion) ?? this.#versions[0]
      if (version === undefined) return this.#refuse(id, errorCode.unsupportedVersion, 'No legacy revision is served.')
      await this.#open({ version, info: clientInfo, capabilities }, origin)
      if (this.#isClosed) return
      this.#pipe.onmessage?.(message)
      emit('mcp.connection.opened', () => ({
        server: this.#host.info.name,
        connection: this.id,
        kind: this.#peer.kind,
        version,
      }))
    } catch (error) {
      const known = error instanceof McpError ? error : this.#host.mask(error)
      this.#refuse(id, known.code, known.message, known.data)
    }
  }

  async #open(
    opened: {
      version: Version
      info?: LiveConnection['client']['info']
      capabilities: ClientCapabilities
      createdAt?: Date
    },
    origin: Origin,
  ): Promise<void> {
    const { version, info, capabilities, createdAt } = opened
    const connection = new LiveConnection({
      id: this.id,
      kind: this.#peer.kind,
      version,
      client: { info, capabilities },
      concurrency: this.#host.settings.concurrency,
      createdAt,
      announce: (notification) => this.#peer.send(notification),
      handleInfo: (event, own) => this.#host.informed(event, own),
      end: (reason) => this.close(reason),
    })
    await this.#host.opened(connection, origin)
    // The client may have left while it was let in.
    if (this.#isClosed) return this.#host.ended(connection, 'client')
    this.#connection = connection
    this.#stopHearing = this.#host.changes.subscribe((change) => this.#announce(change, connection))
  }

  #announce(change: Change, connection: LiveConnection): void {
    const isUpdate = change.method === 'notifications/resources/updated'
    if (isUpdate && !connection.subscriptions.has(change.params.uri)) return
    this.#peer.send({ jsonrpc: '2.0', ...change })
  }

  #run(request: { method: string; params?: object }, context: ServerContext) {
    const { id } = context.mcpReq
    const connection = this.#connection!
    const origin = this.#underWay.get(id) ?? this.#peer
    const message = { jsonrpc: '2.0', id, ...request } as JSONRPCRequest
    const { version } = connection
    return this.#host.run(message, {
      sdk: context,
      server: this.#server,
      peer: this.#peer,
      origin,
      version,
      connection,
    })
  }

  #notice(message: JSONRPCNotification): void {
    if (this.#connection !== undefined) this.#host.noticed(message, this.#connection)
  }

  #send(message: JSONRPCMessage, related: RequestId | undefined): void {
    if (!('method' in message)) this.#underWay.delete(message.id as RequestId)
    else if ('id' in message) this.#asked.add(String(message.id))
    else if (message.method === 'notifications/cancelled') this.#asked.delete(String(message.params?.['requestId']))
    this.#peer.send(message, related)
  }

  #refuse(id: RequestId, code: number, message: string, data?: unknown): void {
    this.#peer.send({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }, id)
  }
}

/** The SDK's end of the connection. */
class Pipe implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly sessionId: string
  readonly #deliver: (message: JSONRPCMessage, related: RequestId | undefined) => void
  readonly #replays = new Map<RequestId, () => void>()

  constructor(id: string, deliver: (message: JSONRPCMessage, related: RequestId | undefined) => void) {
    this.sessionId = id
    this.#deliver = deliver
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isAnswer = 'id' in message && !('method' in message) && message.id !== undefined
    const replayed = isAnswer ? this.#replays.get(message.id!) : undefined
    if (replayed !== undefined) return replayed()
    this.#deliver(message, options?.relatedRequestId ?? (isAnswer ? message.id : undefined))
  }

  async close(): Promise<void> {
    this.onclose?.()
  }

  /** Asks the SDK server something whose answer goes nowhere. */
  async replay(method: string, params: object): Promise<void> {
    const id = `herma-replay-${method}`
    await new Promise<void>((resolve) => {
      this.#replays.set(id, resolve)
      this.onmessage?.({ jsonrpc: '2.0', id, method, params } as JSONRPCRequest)
    })
    this.#replays.delete(id)
  }
}

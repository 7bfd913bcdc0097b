import { HubError } from '@herma/contract'
import type { Catalog, CatalogKind } from '../../catalog/index.ts'
import type { Connectors, Downstream } from '../../downstream/index.ts'
import {
  isObject,
  lowerLevel,
  metaOf,
  passesLog,
  type Answer,
  type Caller,
  type Meta,
  type NotificationMessage,
  type Params,
  type Question,
} from '../../wire/index.ts'
import type { Connection } from '../connection/connection.ts'
import type { StoredConnection } from '../connection/connection-store.ts'
import type { ConnectionTable } from '../connection/connection-table.ts'
import type { Exchange } from '../call/exchange.ts'
import { ForwardedListen } from './forwarded-listen.ts'
import { Listener, readFilter, readForeignFilter } from './subscriptions.ts'
import { WatchList } from './watch-list.ts'

/** Several changes in a row make one notification. */
const settleMs = 25
const maxListeners = 1000
/** How long servers have to agree to what an extension wants to hear of. */
const agreementMs = 2000
/** Resources that one client may watch. */
const maxWatchedUris = 1000

const listMethods: Record<CatalogKind, string> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resourceTemplates: 'notifications/resources/list_changed',
}

interface FanoutOptions {
  readonly connections: ConnectionTable
  readonly catalog: Catalog
  readonly connectors: Connectors
  /** Whether a client may hear of a server. */
  sees(caller: Caller, server: string): boolean
  /** The connector that alone is behind the server that a client talks to; null = the whole catalog is. */
  hostOf(caller: Caller): string | null
}

/** Brings what servers and the catalog report to the clients that want it, of either era. */
export class Fanout {
  readonly #connections: ConnectionTable
  readonly #connectors: Connectors
  readonly #sees: FanoutOptions['sees']
  readonly #watched: WatchList
  readonly #listeners = new Set<Listener>()
  #changed = new Set<string>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: FanoutOptions) {
    this.#connections = options.connections
    this.#sees = options.sees
    this.#connectors = options.connectors
    this.#watched = new WatchList({
      hostOf: options.hostOf,
      ownerOf: (uri) => ownerOf(uri, options.catalog, options.connectors),
      downstream: (id) => options.connectors.byId(id),
    })
  }

  get listenerCount(): number {
    return this.#listeners.size
  }

  listsChanged(kinds: readonly CatalogKind[]): void {
    for (const kind of kinds) this.#changed.add(listMethods[kind])
    this.#timer ??= setTimeout(() => this.#tellLists(), settleMs).unref()
  }

  #tellLists(): void {
    this.#timer = null
    const methods = this.#changed
    this.#changed = new Set()
    // A resource may have come, gone, or moved to another server.
    if (methods.has(listMethods.resources)) this.#watched.reassign()
    for (const method of methods) {
      const message: NotificationMessage = { jsonrpc: '2.0', method }
      for (const connection of this.#connections) connection.notify(message)
      for (const listener of this.#listeners) if (listener.wants(method)) listener.send(message)
    }
  }

  /** A notification of a server that belongs to no call, for the clients that are meant and know of the server. */
  onNotification(server: string, message: NotificationMessage, isMeant: (caller: Caller) => boolean): void {
    const isFor = (caller: Caller) => isMeant(caller) && this.#sees(caller, server)
    if (message.method === 'notifications/resources/updated') return this.#tellUpdate(message, isFor)
    for (const connection of this.#connections) {
      if (message.method === 'notifications/message' && !passesLog(message.params, connection.caller)) continue
      if (isFor(connection.caller)) connection.notify(message)
    }
  }

  #tellUpdate(message: NotificationMessage, isFor: (caller: Caller) => boolean): void {
    const uri = message.params?.['uri']
    if (typeof uri !== 'string') return
    for (const connection of this.#connections) {
      if (connection.hasSubscriptions && connection.subscriptions.has(uri) && isFor(connection.caller))
        connection.notify(message)
    }
    for (const listener of this.#listeners) {
      if (listener.filter.resourceSubscriptions?.includes(uri) === true && isFor(listener.caller))
        listener.send(message)
    }
  }

  /** A question outside of any call: only a downstream of one client knows whom it may ask. */
  async onQuestion(connectionId: string | null, question: Question, signal: AbortSignal): Promise<Answer> {
    const connection = connectionId === null ? undefined : this.#connections.get(connectionId)
    if (connection !== undefined) {
      return connection.ask(question, (message) => connection.listening.sendMessage(message), signal)
    }
    if (question.method === 'roots/list') return { result: { roots: [] } }
    return {
      error: {
        code: -32603,
        message: 'No call is under way that this question could belong to. Set the option isolation=connection.',
      },
    }
  }

  async subscribe(connectionId: string, uri: string, isOn: boolean): Promise<void> {
    const connection = this.#connections.get(connectionId)
    if (connection === undefined || connection.subscriptions.has(uri) === isOn) return
    if (isOn) {
      requireRoom(connection.subscriptions.size + 1)
      connection.subscriptions.add(uri)
      this.#watched.add(uri, connection.caller)
    } else {
      connection.subscriptions.delete(uri)
      this.#watched.remove(uri, connection.caller)
    }
    await this.#connections.save(connection)
  }

  async setLevel(connectionId: string, level: string): Promise<void> {
    const connection = this.#connections.get(connectionId)
    if (connection === undefined || connection.caller.logLevel === level) return
    connection.caller.logLevel = level
    this.#tellLevel()
    await this.#connections.save(connection)
  }

  /** Takes up what the client of a connection had set at the hub before. */
  restore(
    connection: Connection,
    { subscriptions, logLevel }: Pick<StoredConnection, 'subscriptions' | 'logLevel'>,
  ): void {
    for (const uri of subscriptions) {
      connection.subscriptions.add(uri)
      this.#watched.add(uri, connection.caller)
    }
    if (logLevel === null) return
    connection.caller.logLevel = logLevel
    this.#tellLevel()
  }

  /** Servers hear the lowest level that any client set; each client gets what it wants. */
  #tellLevel(): void {
    let lowest: string | null = null
    for (const { caller } of this.#connections) lowest = lowerLevel(lowest, caller.logLevel)
    if (lowest !== null) this.#connectors.setLogLevel(lowest)
  }

  /** Opens the stream of a modern client; it ends when the client closes it. */
  listen(exchange: Exchange): void {
    if (this.#listeners.size >= maxListeners)
      throw new HubError('TOO_MANY_CONNECTIONS', `The hub has ${maxListeners} listeners, its limit.`)
    const filter = readFilter(exchange.params?.['notifications'])
    const uris = filter.resourceSubscriptions ?? []
    requireRoom(uris.length)
    const listener = new Listener(exchange.clientId, filter, exchange)
    this.#listeners.add(listener)
    for (const uri of uris) this.#watched.add(uri, listener.caller)
    const foreign = readForeignFilter(exchange.params?.['notifications'])
    const forwarded = foreign === null ? [] : this.#forward(listener, foreign, metaOf(exchange.params) ?? {})
    if (forwarded.length === 0) listener.acknowledge()
    exchange.onDone = () => {
      this.#listeners.delete(listener)
      for (const uri of uris) this.#watched.remove(uri, listener.caller)
      for (const call of forwarded) call.stop()
    }
  }

  /** What only extensions know is asked of the servers that have extensions, each on a stream of its own. */
  #forward(listener: Listener, wanted: Params, meta: Meta): ForwardedListen[] {
    const downstreams = this.#connectors
      .entries()
      .flatMap(({ downstream }) =>
        isObject(downstream?.known?.handshake.capabilities['extensions']) ? downstream : [],
      )
      .filter(({ name }) => this.#sees(listener.caller, name))
    const agreed: Params = {}
    let unsettled = downstreams.length
    const timer = setTimeout(() => listener.acknowledge(agreed), agreementMs).unref()
    const onSettled = (part: Params) => {
      mergeAgreed(agreed, part)
      if (--unsettled > 0) return
      clearTimeout(timer)
      listener.acknowledge(agreed)
    }
    if (downstreams.length === 0) clearTimeout(timer)
    const onNotification = (message: NotificationMessage) => listener.send(message)
    const calls = downstreams.map(
      () => new ForwardedListen({ caller: listener.caller, wanted, meta, onNotification, onSettled }),
    )
    for (const [index, call] of calls.entries()) downstreams[index]!.call(call)
    return calls
  }

  /** A client left: so do its subscriptions, its log level, and what was started for it. */
  forget(connection: Connection): void {
    if (connection.hasSubscriptions)
      for (const uri of connection.subscriptions) this.#watched.remove(uri, connection.caller)
    for (const { downstream } of this.#connectors.entries()) downstream?.closeConnection(connection.id)
    if (connection.caller.logLevel !== null) this.#tellLevel()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const listener of this.#listeners) listener.complete()
    this.#listeners.clear()
  }
}

/** Servers that agree to parts of one list, such as the tasks that each has, agree to all of them together. */
function mergeAgreed(agreed: Params, part: Params): void {
  for (const [name, value] of Object.entries(part)) {
    const before = agreed[name]
    agreed[name] = Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value
  }
}

function ownerOf(uri: string, catalog: Catalog, connectors: Connectors): string | null {
  const isOffered = (downstream: Downstream | null) =>
    downstream?.known?.handshake.capabilities['resources'] !== undefined
  return catalog.resourceOwners(uri).find((id) => isOffered(connectors.byId(id))) ?? null
}

function requireRoom(uriCount: number): void {
  if (uriCount <= maxWatchedUris) return
  throw new HubError(
    'INVALID_PARAMS',
    `A client may subscribe to ${maxWatchedUris} resources. Unsubscribe from some first.`,
  )
}

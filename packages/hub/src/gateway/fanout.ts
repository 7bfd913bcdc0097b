import { HubError } from '@herma/contract'
import type { Catalog, CatalogKind } from '../catalog/index.ts'
import type { Answer, ConnectorBook, Downstream } from '../downstream/index.ts'
import type { NotificationMessage, Question } from '../wire/index.ts'
import type { Connection } from './connection.ts'
import type { ConnectionTable } from './connection-table.ts'
import type { Exchange } from './exchange.ts'
import { lowerLevel, passesLog } from './log-level.ts'
import { Listener, readFilter } from './subscriptions.ts'

/** Several changes in a row make one notification. */
const settleMs = 25
const maxListeners = 1000
/** Resources that one client may watch. */
const maxWatchedUris = 1000

const listMethods: Record<CatalogKind, string> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resourceTemplates: 'notifications/resources/list_changed',
}

/** Brings what servers and the catalog report to the clients that want it, of either era. */
export class Fanout {
  readonly #connections: ConnectionTable
  readonly #book: () => ConnectorBook
  readonly #catalog: Catalog
  readonly #listeners = new Set<Listener>()
  /** How many clients want to hear of a resource, and which connector tells. */
  readonly #watched = new Map<string, { count: number; connectorId: string | null }>()
  #changed = new Set<string>()
  #timer: NodeJS.Timeout | null = null

  constructor(parts: { connections: ConnectionTable; catalog: Catalog; book: () => ConnectorBook }) {
    this.#connections = parts.connections
    this.#catalog = parts.catalog
    this.#book = parts.book
  }

  get listeners(): ReadonlySet<Listener> {
    return this.#listeners
  }

  listsChanged(kinds: readonly CatalogKind[]): void {
    for (const kind of kinds) this.#changed.add(listMethods[kind])
    this.#timer ??= setTimeout(() => this.#tellLists(), settleMs).unref()
  }

  #tellLists(): void {
    this.#timer = null
    const methods = this.#changed
    this.#changed = new Set()
    for (const method of methods) {
      const message: NotificationMessage = { jsonrpc: '2.0', method }
      for (const connection of this.#connections) connection.notify(message)
      for (const listener of this.#listeners) if (listener.wants(method)) listener.send(message)
    }
  }

  /** A notification that belongs to no call. */
  onNotification(message: NotificationMessage): void {
    if (message.method === 'notifications/resources/updated') return this.#tellUpdate(message)
    for (const connection of this.#connections) {
      if (message.method === 'notifications/message' && !passesLog(message.params, connection.caller)) continue
      connection.notify(message)
    }
  }

  #tellUpdate(message: NotificationMessage): void {
    const uri = message.params?.['uri']
    if (typeof uri !== 'string') return
    for (const connection of this.#connections) {
      if (connection.hasSubscriptions && connection.subscriptions.has(uri)) connection.notify(message)
    }
    for (const listener of this.#listeners) {
      if (listener.filter.resourceSubscriptions?.includes(uri) === true) listener.send(message)
    }
  }

  /** A question outside of any call: only a downstream of one client knows whom it may ask. */
  async onQuestion(connectionId: string | null, question: Question, signal: AbortSignal): Promise<Answer> {
    const connection = connectionId === null ? undefined : this.#connections.get(connectionId)
    if (connection !== undefined) return connection.ask(question, connection.listening, signal)
    if (question.method === 'roots/list') return { result: { roots: [] } }
    return {
      error: {
        code: -32603,
        message: 'Herma cannot tell which client this question is for. Set the option isolation=connection.',
      },
    }
  }

  subscribe(connectionId: string, uri: string, isOn: boolean): void {
    const connection = this.#connections.get(connectionId)
    if (connection === undefined || connection.subscriptions.has(uri) === isOn) return
    if (isOn) {
      requireRoom(connection.subscriptions.size + 1)
      connection.subscriptions.add(uri)
      this.#watch(uri)
    } else {
      connection.subscriptions.delete(uri)
      this.#unwatch(uri)
    }
  }

  setLevel(connectionId: string, level: string): void {
    const connection = this.#connections.get(connectionId)
    if (connection === undefined) return
    connection.caller.logLevel = level
    let lowest: string | null = null
    for (const { caller } of this.#connections) lowest = lowerLevel(lowest, caller.logLevel)
    if (lowest === null) return
    this.#book().setLogLevel(lowest)
  }

  /** Opens the stream of a modern client; it ends when the client closes it. */
  listen(exchange: Exchange): void {
    if (this.#listeners.size >= maxListeners)
      throw new HubError('TOO_MANY_CONNECTIONS', `The hub has ${maxListeners} listeners, its limit.`)
    const filter = readFilter(exchange.params?.['notifications'])
    requireRoom(filter.resourceSubscriptions?.length ?? 0)
    const listener = new Listener(exchange.clientId, filter, exchange.openStream())
    this.#listeners.add(listener)
    for (const uri of filter.resourceSubscriptions ?? []) this.#watch(uri)
    exchange.onDone = () => {
      this.#listeners.delete(listener)
      for (const uri of filter.resourceSubscriptions ?? []) this.#unwatch(uri)
    }
  }

  /** A client left: so do its subscriptions and what was started for it. */
  forget(connection: Connection): void {
    if (connection.hasSubscriptions) for (const uri of connection.subscriptions) this.#unwatch(uri)
    for (const { downstream } of this.#book().entries()) downstream?.closeConnection(connection.id)
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const listener of this.#listeners) listener.complete()
    this.#listeners.clear()
  }

  #watch(uri: string): void {
    const watched = this.#watched.get(uri) ?? { count: 0, connectorId: this.#ownerOf(uri) }
    watched.count++
    this.#watched.set(uri, watched)
    if (watched.count === 1) this.#tell(watched.connectorId)?.subscribe(uri)
  }

  #unwatch(uri: string): void {
    const watched = this.#watched.get(uri)
    if (watched === undefined) return
    watched.count--
    if (watched.count > 0) return
    this.#watched.delete(uri)
    this.#tell(watched.connectorId)?.unsubscribe(uri)
  }

  #tell(connectorId: string | null): Downstream | null {
    return connectorId === null ? null : this.#book().byId(connectorId)
  }

  #ownerOf(uri: string): string | null {
    for (const id of this.#catalog.resourceOwners(uri)) {
      const downstream = this.#book().byId(id)
      if (downstream?.known?.handshake.capabilities['resources'] !== undefined) return id
    }
    return null
  }
}

function requireRoom(uriCount: number): void {
  if (uriCount <= maxWatchedUris) return
  throw new HubError(
    'INVALID_PARAMS',
    `A client may subscribe to ${maxWatchedUris} resources. Unsubscribe from some first.`,
  )
}

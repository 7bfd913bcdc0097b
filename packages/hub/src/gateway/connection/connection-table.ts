import { randomBytes } from 'node:crypto'
import { HubError, type Principal } from '@herma/contract'
import type { AddressLimiter, CallPermit } from '../../access/index.ts'
import { operator, type NotificationMessage } from '../../wire/index.ts'
import { Connection, type ConnectionBeginning, type NewCaller } from './connection.ts'
import type { ConnectionStore, StoredConnection } from './connection-store.ts'
import { connectionIdLifeMs, nonceOf, type ConnectionClaim, type ConnectionTokens } from './connection-token.ts'

export interface ConnectionLimits {
  readonly maxConnections: number
  /** For each principal but the operator; absent = no limit of its own. */
  readonly maxPerPrincipal?: number
  /** Counts them by the address that they come from; absent = nobody does. */
  readonly addresses?: Pick<AddressLimiter, 'hold' | 'hasRoom'>
  /** Time without a request or an open stream after which a connection leaves the memory. */
  readonly idleMs: number
  /** How long a client may take to answer a question. */
  readonly questionMs: number
}

/** What lets connections outlive the process. */
interface ConnectionMemory {
  readonly tokens: ConnectionTokens
  readonly store: ConnectionStore
  /** Takes up what the client had set before. */
  onRestored(connection: Connection, stored: StoredConnection): void
}

/** Whom a client wants to be heard as. */
interface Presenter {
  readonly server: string
  readonly principal: Principal
  readonly address: string
}

/** Deleted connections that are refused without asking the store. */
const maxKnownClosed = 10_000
/** What clients say of themselves, kept once for all that say the same. */
const maxIntroductions = 500
const maxIntroductionLength = 4096

/**
 * The legacy clients. They often leave without a word, so they expire, and their number has a cap. One that comes back
 * later, or after the hub was started again, is restored from its id.
 */
export class ConnectionTable {
  readonly #connections = new Map<string, Connection>()
  readonly #ofPrincipal = new Map<string, number>()
  readonly #limits: ConnectionLimits
  readonly #onClose: (connection: Connection) => void
  readonly #memory: ConnectionMemory | null
  readonly #restoring = new Map<string, Promise<void>>()
  readonly #knownClosed = new Set<string>()
  readonly #introductions = new Map<string, Pick<NewCaller, 'clientInfo' | 'capabilities'>>()

  constructor(
    limits: ConnectionLimits,
    onClose: (connection: Connection) => void,
    memory: ConnectionMemory | null = null,
  ) {
    this.#limits = limits
    this.#onClose = onClose
    this.#memory = memory
  }

  get size(): number {
    return this.#connections.size
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#connections.values()
  }

  /** Opens a connection that lives as long as the event stream of its client, which counts for its address. */
  open(caller: NewCaller): Connection {
    return this.#open(caller, null)
  }

  #open(caller: NewCaller, address: string | null): Connection {
    const id = randomBytes(12).toString('base64url')
    return this.#add({ id, token: null, issuedAtSeconds: 0, isWhole: true, isRestored: false }, caller, address)
  }

  /** Opens a connection that its client can go on with after the hub was started again. */
  async openLasting(caller: NewCaller, address: string): Promise<Connection> {
    if (this.#memory === null) return this.#open(caller, address)
    const { tokens, store } = this.#memory
    this.#requireRoom(caller)
    const connection = this.#add({ ...tokens.issue(caller), isRestored: false }, caller, address)
    if (!connection.isWhole) await store.save(rowOf(connection))
    return connection
  }

  get(id: string): Connection | undefined {
    const connection = this.#connections.get(id)
    if (connection !== undefined) connection.lastSeenAt = performance.now()
    return connection
  }

  /** The connection that a client means by its `Mcp-Session-Id`. */
  find(token: string): Connection | undefined {
    const connection = this.get(nonceOf(token))
    return connection?.token === token ? connection : undefined
  }

  /**
   * Brings a connection back that is not in memory. Null when there is nothing to bring back, which costs little: ids
   * that were not made here do not open, and only those that do are looked up in the store.
   */
  restore(token: string, presenter: Presenter): Promise<void> | null {
    if (this.#memory === null) return null
    const name = nonceOf(token)
    if (name === '' || this.#connections.has(name) || this.#knownClosed.has(name)) return null
    const underWay = this.#restoring.get(name)
    if (underWay !== undefined) return underWay
    const claim = this.#memory.tokens.open(token)
    if (claim === null || (claim.caller !== null && !isOf(claim.caller, presenter))) return null
    const restoring = this.#restore(token, claim, presenter).finally(() => this.#restoring.delete(name))
    this.#restoring.set(name, restoring)
    return restoring
  }

  async #restore(token: string, { id, issuedAtSeconds, caller }: ConnectionClaim, presenter: Presenter): Promise<void> {
    const stored = await this.#memory!.store.find(id)
    if (stored?.isClosed === true) return this.#noteClosed(id)
    const said = caller ?? stored?.caller ?? null
    if (said === null || !isOf(said, presenter) || this.#connections.has(id)) return
    const beginning = { id, token, issuedAtSeconds, isWhole: caller !== null, isRestored: true }
    const connection = this.#add(beginning, said, presenter.address)
    if (stored !== undefined) this.#memory!.onRestored(connection, stored)
    // What happened meanwhile was told to nobody.
    for (const message of changedLists) connection.notify(message)
    for (const uri of stored?.subscriptions ?? [])
      connection.notify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
  }

  /** Stores what a client set. */
  async save(connection: Connection): Promise<void> {
    if (connection.token !== null) await this.#memory?.store.save(rowOf(connection))
  }

  /** Forgets a connection; its client can come back with its id. */
  close(connection: Connection): void {
    if (!this.#connections.delete(connection.id)) return
    this.#count(connection.caller, -1)
    connection.place?.release()
    connection.close()
    this.#onClose(connection)
  }

  /** Closes a connection for good. */
  async delete(connection: Connection): Promise<void> {
    this.close(connection)
    if (connection.token === null || this.#memory === null) return
    this.#noteClosed(connection.id)
    const nothing = { caller: null, subscriptions: [], logLevel: null }
    await this.#memory.store.save({ ...rowOf(connection), ...nothing, isClosed: true })
  }

  expire(now: number): void {
    for (const connection of this.#connections.values()) {
      if (connection.isBusy) connection.lastSeenAt = now
      if (now - connection.lastSeenAt > this.#limits.idleMs) this.close(connection)
      else connection.prune(now)
    }
  }

  closeAll(): void {
    for (const connection of this.#connections.values()) this.close(connection)
  }

  #add(beginning: ConnectionBeginning, caller: NewCaller, address: string | null): Connection {
    this.#requireRoom(caller)
    const place = address === null ? null : this.#hold(address)
    const connection = new Connection(beginning, this.#introduced(caller), this.#limits)
    connection.place = place
    this.#connections.set(connection.id, connection)
    this.#count(caller, 1)
    return connection
  }

  #count({ principal }: Pick<NewCaller, 'principal'>, change: number): void {
    const count = (this.#ofPrincipal.get(principal) ?? 0) + change
    if (count > 0) this.#ofPrincipal.set(principal, count)
    else this.#ofPrincipal.delete(principal)
  }

  #requireRoom({ principal }: Pick<NewCaller, 'principal'>): void {
    const { maxConnections, maxPerPrincipal = Number.POSITIVE_INFINITY } = this.#limits
    const limit = principal === operator.id ? Number.POSITIVE_INFINITY : maxPerPrincipal
    const isFull = () => this.#connections.size >= maxConnections || (this.#ofPrincipal.get(principal) ?? 0) >= limit
    if (isFull()) this.expire(performance.now())
    if (!isFull()) return
    if (this.#connections.size < maxConnections) {
      const text = `'${principal}' has ${limit} connections, its limit. Close some with DELETE, or try again later.`
      throw new HubError('TOO_MANY_CONNECTIONS', text)
    }
    throw new HubError(
      'TOO_MANY_CONNECTIONS',
      `The hub has ${this.#connections.size} connections, its limit. Try again later.`,
    )
  }

  #hold(address: string): CallPermit | null {
    const { addresses } = this.#limits
    if (addresses === undefined) return null
    if (!addresses.hasRoom('connections', address)) this.expire(performance.now())
    const permit = addresses.hold('connections', address)
    if ('refused' in permit) throw permit.refused
    return permit
  }

  #introduced(caller: NewCaller): NewCaller {
    const { clientInfo, capabilities } = caller
    const text = JSON.stringify([clientInfo, capabilities])
    if (text.length > maxIntroductionLength) return caller
    let known = this.#introductions.get(text)
    if (known === undefined) {
      if (this.#introductions.size >= maxIntroductions) this.#introductions.clear()
      this.#introductions.set(text, (known = { clientInfo, capabilities }))
    }
    return { ...caller, ...known }
  }

  #noteClosed(id: string): void {
    if (this.#knownClosed.size >= maxKnownClosed) this.#knownClosed.clear()
    this.#knownClosed.add(id)
  }
}

const changedLists: NotificationMessage[] = ['tools', 'prompts', 'resources'].map((kind) => ({
  jsonrpc: '2.0',
  method: `notifications/${kind}/list_changed`,
}))

function isOf(caller: NewCaller, { server, principal }: Presenter): boolean {
  return caller.server === server && caller.principal === principal.id
}

function rowOf(connection: Connection): StoredConnection {
  const { principal, server, revision, clientInfo, capabilities, logLevel } = connection.caller
  return {
    id: connection.id,
    isClosed: false,
    caller: connection.isWhole ? null : { principal, server, revision, clientInfo, capabilities },
    subscriptions: connection.hasSubscriptions ? [...connection.subscriptions] : [],
    logLevel,
    expiresAt: new Date(connection.issuedAtSeconds * 1000 + connectionIdLifeMs),
  }
}

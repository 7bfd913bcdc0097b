import { HubError } from '@herma/contract'
import type { Scopes } from '../../catalog/index.ts'
import type { Connectors, Downstream } from '../../downstream/index.ts'
import { isHub } from '../server/introduction.ts'
import type { Exchange } from './exchange.ts'

export type Asker = Parameters<Scopes['for']>[0]

/** The downstreams as one client may reach them, and how long it waits for those that are being looked at. */
export class VisibleDownstreams {
  readonly #connectors: Connectors
  readonly #scopes: Scopes
  /** Requests that waited for lists already. */
  readonly #hasWaited = new WeakSet<Exchange>()

  constructor(connectors: Connectors, scopes: Scopes) {
    this.#connectors = connectors
    this.#scopes = scopes
  }

  /** All that a client may hear of. */
  of(asker: Asker): Downstream[] {
    const scope = this.#scopes.for(asker)
    return this.#connectors
      .entries()
      .flatMap(({ downstream }) => (downstream !== null && scope.seesServer(downstream.name) ? downstream : []))
  }

  /** Of these connectors the live ones that the client may hear of. */
  among({ caller }: Exchange, ids: readonly string[]): Downstream[] {
    const scope = this.#scopes.for(caller)
    return ids.flatMap((id) => this.#connectors.byId(id) ?? []).filter(({ name }) => scope.seesServer(name))
  }

  /** The servers that may know a URI, of those that the client may reach. */
  ownersOf(exchange: Exchange, uri: string): Downstream[] {
    return this.among(exchange, this.#scopes.for(exchange.caller).resourceOwners(uri))
  }

  byId(id: string): Downstream {
    const downstream = this.#connectors.byId(id)
    if (downstream === null)
      throw new HubError('CONNECTOR_DISABLED', 'The connector of this name was disabled. List again.')
    return downstream
  }

  /** Resolves after the first look at every connector; null when that has happened. */
  allSettled(): Promise<unknown> | null {
    return this.#connectors.settled()
  }

  /** Waits for the first look at what its server consists of. Two hubs that start would wait for each other. */
  settled(asker: Asker): Promise<unknown> | null {
    const { own, host } = this.#scopes.for(asker).settings
    if (own !== undefined || isHub(asker.clientInfo)) return null
    return host === undefined ? this.#connectors.settled() : this.#connectors.settledOne(host)
  }

  /** Once for each request: a server that changes its lists all the time could keep it for ever. */
  namesRead(exchange: Exchange): Promise<unknown> | null {
    const { own, host } = this.#scopes.for(exchange.caller).settings
    const { target } = exchange
    if (own !== undefined || typeof target !== 'string' || this.#hasWaited.has(exchange)) return null
    this.#hasWaited.add(exchange)
    return this.#connectors.namesRead(target, host)
  }
}

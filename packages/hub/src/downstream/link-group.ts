import { HubError, type Connector } from '@herma/contract'
import type { Call } from '../wire/index.ts'
import type { LinkKeeper } from './link-keeper.ts'

/** What a link is for. */
export type LinkRole =
  | { readonly kind: 'shared' }
  /** Serves legacy clients of a server that speaks both eras, so that nothing has to cross between them. */
  | { readonly kind: 'twin' }
  | { readonly kind: 'connection'; readonly connectionId: string; readonly capabilities: Record<string, unknown> }

/** The links of one downstream, and which of them a call takes. */
export class LinkGroup {
  readonly shared: LinkKeeper
  readonly #connector: Connector
  readonly #create: (role: LinkRole) => LinkKeeper
  readonly #isolated = new Map<string, LinkKeeper>()
  #twin: LinkKeeper | null = null
  #mayHaveTwin: boolean

  constructor(connector: Connector, create: (role: LinkRole) => LinkKeeper) {
    this.#connector = connector
    this.#create = create
    this.shared = create({ kind: 'shared' })
    // Another HTTP session costs next to nothing; another process or event stream does.
    const isHttp = connector.transport === 'stream' || connector.transport === 'http'
    this.#mayHaveTwin = isHttp && connector.options.era === 'auto'
  }

  all(): LinkKeeper[] {
    const keepers = [this.shared, ...this.#isolated.values()]
    return this.#twin === null ? keepers : [...keepers, this.#twin]
  }

  for(call: Call): LinkKeeper {
    const { connectionId, era } = call.caller
    if (connectionId !== null && this.#connector.options.isolation === 'connection') {
      return this.#isolated.get(connectionId) ?? this.#isolate(connectionId, call.caller.capabilities)
    }
    if (era === 'legacy' && this.#mayHaveTwin && this.shared.link?.era === 'modern') {
      return (this.#twin ??= this.#create({ kind: 'twin' }))
    }
    return this.shared
  }

  /** The links that serve this client now. */
  of(connectionId: string): LinkKeeper[] {
    if (this.#connector.options.isolation === 'shared')
      return this.#twin === null ? [this.shared] : [this.shared, this.#twin]
    const keeper = this.#isolated.get(connectionId)
    return keeper === undefined ? [] : [keeper]
  }

  /** The server turned out to speak the modern era only: legacy clients take the shared link too. */
  giveUpTwin(): void {
    this.#mayHaveTwin = false
  }

  closeConnection(connectionId: string): void {
    const keeper = this.#isolated.get(connectionId)
    this.#isolated.delete(connectionId)
    void keeper?.stop()
  }

  async stop(): Promise<void> {
    const keepers = this.all()
    this.#isolated.clear()
    await Promise.all(keepers.map((keeper) => keeper.stop()))
  }

  #isolate(connectionId: string, capabilities: Record<string, unknown>): LinkKeeper {
    const { name, options } = this.#connector
    if (this.#isolated.size >= options.maxConcurrency) {
      throw new HubError(
        'OVERLOADED',
        `'${name}' runs for ${this.#isolated.size} clients, its limit. Raise --option maxConcurrency=N.`,
      )
    }
    const keeper = this.#create({ kind: 'connection', connectionId, capabilities })
    this.#isolated.set(connectionId, keeper)
    return keeper
  }
}

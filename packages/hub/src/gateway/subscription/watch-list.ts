import type { Caller } from '../../wire/index.ts'

/** A server that reports changes of its resources. */
interface Reporter {
  subscribe(uri: string, caller: Caller): void
  unsubscribe(uri: string, caller: Caller): void
}

interface WatchListOptions {
  /** The connector that alone can have the resources of a client; null = any of the catalog. */
  hostOf(caller: Caller): string | null
  /** The connector of the catalog that has a resource now. */
  ownerOf(uri: string): string | null
  downstream(connectorId: string): Reporter | null
}

interface Watched {
  readonly uri: string
  /** The connector that alone can have it. */
  readonly host: string | null
  readonly callers: Set<Caller>
  connectorId: string | null
}

/** The resources that clients watch, and which server reports on each. */
export class WatchList {
  readonly #options: WatchListOptions
  readonly #watched = new Map<string, Watched>()
  /** As it was when a client began to watch: what its server hosts may change. */
  readonly #hosts = new WeakMap<Caller, { readonly id: string | null }>()

  constructor(options: WatchListOptions) {
    this.#options = options
  }

  add(uri: string, caller: Caller): void {
    const host = this.#hostOf(caller)
    const key = keyOf(uri, host)
    const connectorId = host ?? this.#options.ownerOf(uri)
    const watched = this.#watched.get(key) ?? { uri, host, callers: new Set(), connectorId }
    this.#watched.set(key, watched)
    watched.callers.add(caller)
    this.#reporter(watched)?.subscribe(uri, caller)
  }

  remove(uri: string, caller: Caller): void {
    const key = keyOf(uri, this.#hostOf(caller))
    const watched = this.#watched.get(key)
    if (watched === undefined || !watched.callers.delete(caller)) return
    if (watched.callers.size === 0) this.#watched.delete(key)
    this.#reporter(watched)?.unsubscribe(uri, caller)
  }

  /** Resources may have come, gone, or moved to another server. */
  reassign(): void {
    for (const watched of this.#watched.values()) {
      const { uri, host } = watched
      if (host !== null) continue
      const connectorId = this.#options.ownerOf(uri)
      // A server that is away for a moment keeps its watchers.
      if (connectorId === null || connectorId === watched.connectorId) continue
      for (const caller of watched.callers) this.#reporter(watched)?.unsubscribe(uri, caller)
      watched.connectorId = connectorId
      for (const caller of watched.callers) this.#reporter(watched)?.subscribe(uri, caller)
    }
  }

  #hostOf(caller: Caller): string | null {
    const known = this.#hosts.get(caller) ?? { id: this.#options.hostOf(caller) }
    this.#hosts.set(caller, known)
    return known.id
  }

  #reporter({ connectorId }: Watched): Reporter | null {
    return connectorId === null ? null : this.#options.downstream(connectorId)
  }
}

function keyOf(uri: string, host: string | null): string {
  return `${host ?? ''}\n${uri}`
}

import type { Caller } from '../wire/index.ts'

/** A server that reports changes of its resources. */
interface Reporter {
  subscribe(uri: string, caller: Caller): void
  unsubscribe(uri: string, caller: Caller): void
}

interface WatchListOptions {
  /** The connector that has a resource now. */
  ownerOf(uri: string): string | null
  downstream(connectorId: string): Reporter | null
}

interface Watched {
  readonly callers: Set<Caller>
  connectorId: string | null
}

/** The resources that clients watch, and which server reports on each. */
export class WatchList {
  readonly #options: WatchListOptions
  readonly #watched = new Map<string, Watched>()

  constructor(options: WatchListOptions) {
    this.#options = options
  }

  add(uri: string, caller: Caller): void {
    const watched = this.#watched.get(uri) ?? { callers: new Set(), connectorId: this.#options.ownerOf(uri) }
    this.#watched.set(uri, watched)
    watched.callers.add(caller)
    this.#reporter(watched)?.subscribe(uri, caller)
  }

  remove(uri: string, caller: Caller): void {
    const watched = this.#watched.get(uri)
    if (watched === undefined || !watched.callers.delete(caller)) return
    if (watched.callers.size === 0) this.#watched.delete(uri)
    this.#reporter(watched)?.unsubscribe(uri, caller)
  }

  /** Resources may have come, gone, or moved to another server. */
  reassign(): void {
    for (const [uri, watched] of this.#watched) {
      const connectorId = this.#options.ownerOf(uri)
      // A server that is away for a moment keeps its watchers.
      if (connectorId === null || connectorId === watched.connectorId) continue
      for (const caller of watched.callers) this.#reporter(watched)?.unsubscribe(uri, caller)
      watched.connectorId = connectorId
      for (const caller of watched.callers) this.#reporter(watched)?.subscribe(uri, caller)
    }
  }

  #reporter({ connectorId }: Watched): Reporter | null {
    return connectorId === null ? null : this.#options.downstream(connectorId)
  }
}

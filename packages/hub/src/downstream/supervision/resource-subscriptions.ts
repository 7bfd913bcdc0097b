import type { Caller } from '../../wire/index.ts'
import type { LinkGroups } from './link-groups.ts'
import type { LinkSupervisor } from './link-supervisor.ts'
import type { Link } from '../link/link.ts'
import type { ClientDemands } from './client-demands.ts'

const leastRetryMs = 1000

/** Sees to it that a server knows which resources its clients watch, whatever happens to its links. */
export class ResourceSubscriptions {
  readonly #links: Pick<LinkGroups, 'of' | 'homeOf'>
  readonly #demands: ClientDemands
  readonly #onError: (error: Error) => void
  /** What the server knows, by link. */
  readonly #told = new WeakMap<Link, ReadonlySet<string>>()
  readonly #retries = new Map<LinkSupervisor, NodeJS.Timeout>()
  #isStopped = false

  constructor(links: Pick<LinkGroups, 'of' | 'homeOf'>, demands: ClientDemands, onError: (error: Error) => void) {
    this.#links = links
    this.#demands = demands
    this.#onError = onError
  }

  add(uri: string, caller: Caller): void {
    const callers = this.#demands.subscriptions.get(uri) ?? new Set()
    this.#demands.subscriptions.set(uri, callers.add(caller))
    void this.#open(this.#links.homeOf(caller))
  }

  remove(uri: string, caller: Caller): void {
    const callers = this.#demands.subscriptions.get(uri)
    if (callers === undefined || !callers.delete(caller)) return
    if (callers.size === 0) this.#demands.subscriptions.delete(uri)
    const supervisor = this.#links.of(caller)
    if (supervisor !== null) this.tell(supervisor)
  }

  /** The resources that the clients of a link watch. */
  wantedOn(supervisor: LinkSupervisor): ReadonlySet<string> {
    const uris = new Set<string>()
    for (const [uri, callers] of this.#demands.subscriptions) {
      for (const caller of callers) if (this.#links.of(caller) === supervisor) uris.add(uri)
    }
    return uris
  }

  /** Tells the server what is wanted on a link and was not told on it before. */
  tell(supervisor: LinkSupervisor): void {
    const { link } = supervisor
    if (link === null || link.isClosed) return
    const told = this.#told.get(link) ?? new Set<string>()
    const wanted = this.wantedOn(supervisor)
    this.#told.set(link, wanted)
    const added = [...wanted].filter((uri) => !told.has(uri))
    const removed = [...told].filter((uri) => !wanted.has(uri))
    if (link.era === 'modern') {
      if (added.length + removed.length > 0) link.subscribe(wanted, null, null)
      return
    }
    for (const uri of added) link.subscribe(wanted, uri, null)
    for (const uri of removed) link.subscribe(wanted, null, uri)
  }

  /** A link is gone. Clients that only listen would never hear of it, so it is opened again for them. */
  onLost(supervisor: LinkSupervisor): void {
    if (this.wantedOn(supervisor).size > 0) void this.#open(supervisor)
  }

  /** Opens the links of all clients that watch something, as for a downstream that takes the place of another. */
  restore(): void {
    const callers = [...this.#demands.subscriptions.values()].flatMap((each) => [...each])
    for (const supervisor of new Set(callers.map((caller) => this.#links.homeOf(caller)))) void this.#open(supervisor)
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#retries.values()) clearTimeout(timer)
  }

  /** False for a link that clients were thought to belong to before the era of the server was known. */
  #isHome(supervisor: LinkSupervisor): boolean {
    return this.wantedOn(supervisor).size > 0 || this.#demands.subscriptions.size === 0
  }

  async #open(supervisor: LinkSupervisor): Promise<void> {
    if (this.#isStopped || this.#retries.has(supervisor)) return
    try {
      await supervisor.get()
      // Once the era is known, a client may belong to another link.
      if (this.#isHome(supervisor)) this.tell(supervisor)
      else this.restore()
    } catch (error) {
      this.#onError(error as Error)
      if (this.#isStopped || this.wantedOn(supervisor).size === 0) return
      const waitMs = Math.max(leastRetryMs, (supervisor.retryAt ?? 0) - Date.now())
      const again = () => {
        this.#retries.delete(supervisor)
        if (this.wantedOn(supervisor).size > 0) void this.#open(supervisor)
      }
      this.#retries.set(supervisor, setTimeout(again, waitMs).unref())
    }
  }
}

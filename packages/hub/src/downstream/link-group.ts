import { HubError, type Connector } from '@herma/contract'
import {
  canBeAsked,
  isLegacyRevision,
  isObject,
  relayedCapabilities,
  toRelayed,
  type Call,
  type Caller,
  type Capabilities,
  type Era,
} from '../wire/index.ts'
import { askerOf } from './attribution.ts'
import type { Handshake } from './handshake.ts'
import type { LinkKeeper } from './link-keeper.ts'

/** What a link is for. */
export type LinkRole =
  /** Reads the lists, and serves every client of a modern server. */
  | { readonly kind: 'shared' }
  /** Serves the clients of a legacy server that can do just this. */
  | { readonly kind: 'lane'; readonly capabilities: Capabilities }
  | { readonly kind: 'connection'; readonly connectionId: string; readonly capabilities: Capabilities }

interface LinkGroupParts {
  create(role: LinkRole): LinkKeeper
  /** What was learnt of the server before. */
  readonly known: Handshake | null
  /** True for a link that must stay although nobody calls, as for clients that watch resources. */
  isNeeded(keeper: LinkKeeper): boolean
}

/** Links for clients that can do the same. There is more than one only when a server asks without saying whom. */
type Lane = LinkKeeper[]

const maxLanes = 16
/** Clients of one lane that a server may ask at the same time; a process for each costs more than a session. */
const maxSpread = { stdio: 4, sse: 16, stream: 64, http: 64 }
const everything = JSON.stringify(relayedCapabilities)

/**
 * The links of one downstream, and which of them a call takes. A legacy server hears once, in its handshake, what its
 * client can do. So that it is told the truth, clients that can do different things take different links.
 */
export class LinkGroup {
  readonly shared: LinkKeeper
  readonly #connector: Connector
  readonly #create: (role: LinkRole) => LinkKeeper
  readonly #isNeeded: (keeper: LinkKeeper) => boolean
  readonly #isolated = new Map<string, LinkKeeper>()
  /** The lane of clients that can do everything: those of a legacy server use the shared link. */
  readonly #sharedLane: Lane
  readonly #lanes = new Map<string, Lane>()
  readonly #keys = new WeakMap<Caller, string>()
  /** The era of the server, as far as it is known. */
  #era: Era | null = null
  /** The server asks without saying for which call, so no two clients may share a link. */
  #asksStray = false
  #mayHaveLegacy: boolean

  constructor(connector: Connector, parts: LinkGroupParts) {
    this.#connector = connector
    this.#create = (role) => parts.create(role)
    this.#isNeeded = (keeper) => parts.isNeeded(keeper)
    this.shared = parts.create({ kind: 'shared' })
    this.#sharedLane = [this.shared]
    // Another HTTP session costs next to nothing; another process or event stream does.
    const isHttp = connector.transport === 'stream' || connector.transport === 'http'
    this.#mayHaveLegacy = isHttp && connector.options.era === 'auto'
    if (parts.known !== null) this.opened({ kind: 'shared' }, parts.known)
  }

  all(): LinkKeeper[] {
    return [...this.#sharedLane, ...[...this.#lanes.values()].flat(), ...this.#isolated.values()]
  }

  /** The link for a call, or null when it has to wait until another client's call is over. */
  for(call: Call): LinkKeeper | null {
    const home = this.#laneOf(call.caller)
    return this.#asksStray ? this.#spread(home, call) : home[0]!
  }

  /** The link that a client's subscriptions are made on. */
  homeOf(caller: Caller): LinkKeeper {
    return this.#laneOf(caller)[0]!
  }

  /** True when what this link reports is meant for the client. */
  serves(keeper: LinkKeeper, caller: Caller): boolean {
    return this.#find(caller)?.includes(keeper) === true
  }

  /** The link that a client has, if it has one. */
  of(caller: Caller): LinkKeeper | null {
    return this.#find(caller)?.[0] ?? null
  }

  /** Learns the era of the server from a link that was opened. */
  opened(role: LinkRole, { era, result }: Handshake): void {
    if (role.kind === 'shared') {
      this.#era = era
      if (era === 'modern' && !speaksBoth(result)) this.#mayHaveLegacy = false
    }
    // It was asked in the older way first and knows only the newer one: legacy clients take the shared link too.
    else if (era === 'modern') {
      this.#era = era
      this.#mayHaveLegacy = false
    } else this.#era ??= era
  }

  noteStrayQuestion(): void {
    this.#asksStray = true
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

  #laneOf(caller: Caller): Lane {
    const found = this.#find(caller)
    if (found !== undefined) return found
    if (this.#isIsolated(caller)) return [this.#isolate(caller.connectionId!, caller.capabilities)]
    return this.#addLane(this.#keyOf(caller))
  }

  #isIsolated({ connectionId }: Caller): boolean {
    return connectionId !== null && this.#connector.options.isolation === 'connection'
  }

  /** The lane of a client, if there is one: a client that never called has no claim to a process. */
  #find(caller: Caller): Lane | undefined {
    if (this.#isIsolated(caller)) {
      const keeper = this.#isolated.get(caller.connectionId!)
      return keeper === undefined ? undefined : [keeper]
    }
    // While the era is not known, the shared link finds out.
    const needsLane =
      this.#era === 'legacy' || (this.#era === 'modern' && caller.era === 'legacy' && this.#mayHaveLegacy)
    if (!needsLane) return this.#sharedLane
    const key = this.#keyOf(caller)
    if (key === everything && this.#era === 'legacy') return this.#sharedLane
    return this.#lanes.get(key)
  }

  #keyOf(caller: Caller): string {
    if (this.#connector.options.isolation === 'single') return everything
    // Only the caller of a connection comes again.
    if (caller.connectionId === null) return JSON.stringify(toRelayed(caller.capabilities))
    const known = this.#keys.get(caller)
    if (known !== undefined) return known
    const key = JSON.stringify(toRelayed(caller.capabilities))
    this.#keys.set(caller, key)
    return key
  }

  #addLane(key: string): Lane {
    if (this.#lanes.size >= maxLanes) this.#dropIdleLane()
    const lane = [this.#create({ kind: 'lane', capabilities: JSON.parse(key) as Capabilities })]
    this.#lanes.set(key, lane)
    return lane
  }

  /** A link on which no other client has a call under way. */
  #spread(lane: Lane, call: Call): LinkKeeper | null {
    const capabilities = toRelayed(call.caller.capabilities)
    if (this.#isIsolated(call.caller) || !canBeAsked(capabilities)) return lane[0]!
    const asker = askerOf(call)
    const free = lane.find((keeper) => isFreeFor(keeper, asker))
    if (free !== undefined) return free
    const limit = this.#connector.options.isolation === 'single' ? 1 : maxSpread[this.#connector.transport]
    if (lane.length >= limit) return null
    const keeper = this.#create({ kind: 'lane', capabilities })
    lane.push(keeper)
    return keeper
  }

  #dropIdleLane(): void {
    const idle = [...this.#lanes].filter(([, lane]) =>
      lane.every((keeper) => isIdle(keeper) && !this.#isNeeded(keeper)),
    )
    const oldest = idle.toSorted(([, a], [, b]) => a[0]!.lastUsedAt - b[0]!.lastUsedAt)[0]
    if (oldest === undefined) {
      throw new HubError(
        'OVERLOADED',
        `'${this.#connector.name}' serves ${maxLanes} kinds of clients at once, its limit. Set --option isolation=single.`,
      )
    }
    this.#lanes.delete(oldest[0])
    for (const keeper of oldest[1]) void keeper.stop()
  }

  #isolate(connectionId: string, capabilities: Capabilities): LinkKeeper {
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

/** A modern server lists the revisions that it speaks. */
function speaksBoth(result: unknown): boolean {
  const versions = isObject(result) ? result['supportedVersions'] : undefined
  return Array.isArray(versions) && versions.some(isLegacyRevision)
}

function isIdle(keeper: LinkKeeper): boolean {
  return keeper.waiting.size === 0 && (keeper.link?.pending.size ?? 0) === 0
}

function isFreeFor(keeper: LinkKeeper, asker: unknown): boolean {
  const askers = keeper.link?.askers() ?? new Set()
  for (const call of keeper.waiting) askers.add(askerOf(call))
  askers.delete(asker)
  return askers.size === 0
}

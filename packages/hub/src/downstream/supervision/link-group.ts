import { HubError, type Connector } from '@herma/contract'
import {
  canBeAsked,
  relayedCapabilities,
  toRelayed,
  type Call,
  type Caller,
  type Capabilities,
  type Era,
} from '../../wire/index.ts'
import { askerOf } from './attribution.ts'
import { toTold, type Distinction } from './distinction.ts'
import type { Handshake } from '../link/handshake.ts'
import type { LinkSupervisor } from './link-supervisor.ts'

/** What a link is for. */
export type LinkRole =
  /** Reads the lists, and serves every client of a modern server and of a stdio server. */
  | { readonly kind: 'shared' }
  /** Serves clients of a legacy server that is told just this. */
  | {
      readonly kind: 'lane'
      readonly capabilities: Capabilities
      /** One more of the same lane, because the server asks without saying whom. */
      readonly isSpread?: boolean
    }
  | { readonly kind: 'connection'; readonly connectionId: string; readonly capabilities: Capabilities }

interface LinkGroupOptions {
  create(role: LinkRole): LinkSupervisor
  /** What was learnt of the server before. */
  readonly known: Handshake | null
  /** What the server was seen to tell its clients apart by. */
  readonly distinctions: ReadonlySet<Distinction>
  /** True for a link that must stay although nobody calls, as for clients that watch resources. */
  isNeeded(supervisor: LinkSupervisor): boolean
}

/** Links that were told the same. There is more than one only when a server asks without saying whom. */
interface Lane {
  readonly capabilities: Capabilities
  readonly supervisors: LinkSupervisor[]
}

const maxLanes = 16
/** Clients of one lane that a server may ask at the same time; a process for each costs more than a session. */
const maxSpread = { stdio: 4, sse: 16, stream: 64, http: 64 }
const everything = JSON.stringify(relayedCapabilities)

/**
 * The links of one downstream, and which of them a call takes. A legacy server hears once, in its handshake, what its
 * client can do. A session over HTTP costs next to nothing, so clients that can do different things take different ones,
 * and each is told the truth. A process costs memory and has a state of its own, so there is one, told that its client can
 * do everything; another one is for the clients that cannot answer what the server was seen to ask.
 */
export class LinkGroup {
  readonly shared: LinkSupervisor
  readonly #connector: Connector
  readonly #create: (role: LinkRole) => LinkSupervisor
  readonly #isNeeded: (supervisor: LinkSupervisor) => boolean
  readonly #isolated = new Map<string, LinkSupervisor>()
  /** The lane of clients that can do everything: those of a legacy server use the shared link. */
  readonly #sharedLane: Lane
  readonly #lanes = new Map<string, Lane>()
  readonly #distinctions: ReadonlySet<Distinction>
  #keys = new WeakMap<Caller, string>()
  /** The era of the server, as far as it is known. */
  #era: Era | null = null
  /** The server asks without saying for which call, so no two clients may share a link. */
  #asksStray = false
  #mayHaveLegacy: boolean

  constructor(connector: Connector, parts: LinkGroupOptions) {
    this.#connector = connector
    this.#create = (role) => parts.create(role)
    this.#isNeeded = (supervisor) => parts.isNeeded(supervisor)
    this.shared = parts.create({ kind: 'shared' })
    this.#sharedLane = { capabilities: relayedCapabilities, supervisors: [this.shared] }
    this.#distinctions = parts.distinctions
    // A process serves the era of its first message only; over HTTP each request has its own.
    const isHttp = connector.transport === 'stream' || connector.transport === 'http'
    this.#mayHaveLegacy = isHttp && connector.options.era === 'auto'
    if (parts.known !== null) this.opened({ kind: 'shared' }, parts.known)
  }

  all(): LinkSupervisor[] {
    const lanes = [this.#sharedLane, ...this.#lanes.values()]
    return [...lanes.flatMap(({ supervisors }) => supervisors), ...this.#isolated.values()]
  }

  /** The link for a call, or null when it has to wait until another client's call is over. */
  for(call: Call): LinkSupervisor | null {
    const home = this.#laneOf(call.caller)
    return this.#asksStray ? this.#spread(home, call) : home.supervisors[0]!
  }

  /** The link that a client's subscriptions are made on. */
  homeOf(caller: Caller): LinkSupervisor {
    return this.#laneOf(caller).supervisors[0]!
  }

  /** True when what this link reports is meant for the client. */
  serves(supervisor: LinkSupervisor, caller: Caller): boolean {
    return this.#find(caller)?.supervisors.includes(supervisor) === true
  }

  /** The link that a client has, if it has one. */
  of(caller: Caller): LinkSupervisor | null {
    return this.#find(caller)?.supervisors[0] ?? null
  }

  /** Learns the era of the server from a link that was opened. */
  opened(role: LinkRole, { era }: Handshake): void {
    // A server of both eras does not say so when it is asked in the newer way, so the first legacy client finds out.
    if (role.kind === 'shared') this.#era = era
    // It was asked in the older way first and knows only the newer one: legacy clients take the shared link too.
    else if (era === 'modern') {
      this.#era = era
      this.#mayHaveLegacy = false
    } else this.#era ??= era
  }

  noteStrayQuestion(): void {
    this.#asksStray = true
  }

  /** The server was seen to tell its clients apart by something more: some have another lane from now on. */
  noteDistinction(): void {
    this.#keys = new WeakMap()
  }

  /** Lets a lane go that nobody uses, as one whose clients turned out to belong elsewhere. */
  release(supervisor: LinkSupervisor): void {
    for (const [key, { supervisors }] of this.#lanes) {
      if (!supervisors.includes(supervisor) || !supervisors.every((each) => isIdle(each) && !this.#isNeeded(each)))
        continue
      this.#lanes.delete(key)
      for (const each of supervisors) void each.stop()
    }
  }

  closeConnection(connectionId: string): void {
    const supervisor = this.#isolated.get(connectionId)
    this.#isolated.delete(connectionId)
    void supervisor?.stop()
  }

  async stop(): Promise<void> {
    const supervisors = this.all()
    this.#isolated.clear()
    await Promise.all(supervisors.map((supervisor) => supervisor.stop()))
  }

  #laneOf(caller: Caller): Lane {
    const found = this.#find(caller)
    if (found !== undefined) return found
    if (this.#isIsolated(caller)) return asLane(this.#isolate(caller.connectionId!, caller.capabilities), caller)
    return this.#addLane(this.#keyOf(caller))
  }

  #isIsolated({ connectionId }: Caller): boolean {
    return connectionId !== null && this.#connector.options.isolation === 'connection'
  }

  /** The lane of a client, if there is one: a client that never called has no claim to a process. */
  #find(caller: Caller): Lane | undefined {
    if (this.#isIsolated(caller)) {
      const supervisor = this.#isolated.get(caller.connectionId!)
      return supervisor === undefined ? undefined : asLane(supervisor, caller)
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
    const { isolation } = this.#connector.options
    if (isolation === 'single' || (this.#sharesProcess && this.#distinctions.size === 0)) return everything
    // Only the caller of a connection comes again.
    if (caller.connectionId === null) return JSON.stringify(this.#toTold(caller))
    const known = this.#keys.get(caller)
    if (known !== undefined) return known
    const key = JSON.stringify(this.#toTold(caller))
    this.#keys.set(caller, key)
    return key
  }

  get #sharesProcess(): boolean {
    return this.#connector.transport === 'stdio' && this.#connector.options.isolation === 'shared'
  }

  #toTold({ capabilities }: Caller): Capabilities {
    return this.#sharesProcess ? toTold(capabilities, this.#distinctions) : toRelayed(capabilities)
  }

  #addLane(key: string): Lane {
    if (this.#lanes.size >= maxLanes) this.#dropIdleLane()
    const capabilities = JSON.parse(key) as Capabilities
    const lane = { capabilities, supervisors: [this.#create({ kind: 'lane', capabilities })] }
    this.#lanes.set(key, lane)
    return lane
  }

  /** A link on which no other client has a call under way. */
  #spread({ capabilities, supervisors }: Lane, call: Call): LinkSupervisor | null {
    if (this.#isIsolated(call.caller) || !canBeAsked(capabilities)) return supervisors[0]!
    const asker = askerOf(call)
    const free = supervisors.find((supervisor) => isFreeFor(supervisor, asker))
    if (free !== undefined) return free
    const limit = this.#connector.options.isolation === 'single' ? 1 : maxSpread[this.#connector.transport]
    if (supervisors.length >= limit) return null
    const supervisor = this.#create({ kind: 'lane', capabilities, isSpread: true })
    supervisors.push(supervisor)
    return supervisor
  }

  #dropIdleLane(): void {
    const idle = [...this.#lanes].filter(([, { supervisors }]) =>
      supervisors.every((supervisor) => isIdle(supervisor) && !this.#isNeeded(supervisor)),
    )
    const lastUseOf = ({ supervisors }: Lane) => supervisors[0]!.lastUsedAt
    const oldest = idle.toSorted(([, a], [, b]) => lastUseOf(a) - lastUseOf(b))[0]
    if (oldest === undefined) {
      throw new HubError(
        'OVERLOADED',
        `'${this.#connector.name}' serves ${maxLanes} kinds of clients at once, its limit. Set --option isolation=single.`,
      )
    }
    this.#lanes.delete(oldest[0])
    for (const supervisor of oldest[1].supervisors) void supervisor.stop()
  }

  #isolate(connectionId: string, capabilities: Capabilities): LinkSupervisor {
    const { name, options } = this.#connector
    if (this.#isolated.size >= options.maxConcurrency) {
      throw new HubError(
        'OVERLOADED',
        `'${name}' runs for ${this.#isolated.size} clients, its limit. Raise --option maxConcurrency=N.`,
      )
    }
    const supervisor = this.#create({ kind: 'connection', connectionId, capabilities })
    this.#isolated.set(connectionId, supervisor)
    return supervisor
  }
}

function asLane(supervisor: LinkSupervisor, { capabilities }: Caller): Lane {
  return { capabilities, supervisors: [supervisor] }
}

function isIdle(supervisor: LinkSupervisor): boolean {
  return supervisor.waiting.size === 0 && (supervisor.link?.pending.size ?? 0) === 0
}

function isFreeFor(supervisor: LinkSupervisor, asker: unknown): boolean {
  const askers = supervisor.link?.askers() ?? new Set()
  for (const call of supervisor.waiting) askers.add(askerOf(call))
  askers.delete(asker)
  return askers.size === 0
}

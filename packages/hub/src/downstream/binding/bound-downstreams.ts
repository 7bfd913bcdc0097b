import { HubError, type Connector } from '@herma/contract'
import type { Metric } from '../../platform/metric/metrics.ts'
import type { Redactor } from '../../secret/index.ts'
import { sessionServer } from '../../wire/index.ts'
import {
  bindConnector,
  isOverridden,
  isSameAddress,
  mentions,
  needsOwnLink,
  type BoundOverrides,
} from './bind-connector.ts'
import type { ConnectorEntry, Connectors } from '../connector/connectors.ts'
import { Downstream } from '../downstream.ts'
import type { DownstreamListener, DownstreamEnvironment } from '../downstream-environment.ts'
import type { Known } from '../descriptor/known.ts'
import type { ToolApprovals } from '../descriptor/tool-looks.ts'
import { referencedSecrets } from '../connector/secret-reference.ts'
import { ClientDemands } from '../supervision/client-demands.ts'

/** A connector as one session is bound to it. */
export interface BoundPlace {
  readonly sessionId: string
  /** By its name. */
  readonly connector: string
  /** The talk that a call belongs to. */
  readonly thread?: string | null | undefined
}

/** How a connector is attached to a session. */
export interface Bound {
  readonly session: { readonly name: string; readonly workingDir: string | null }
  /** The same object for as long as nothing of it is changed. */
  readonly overrides: BoundOverrides
  readonly isEnabled: boolean
}

interface BoundDownstreamsOptions {
  readonly connectors: Pick<Connectors, 'entries' | 'entryOf'>
  readonly environment: Omit<DownstreamEnvironment, 'redact' | 'listener'>
  readonly redactor: Pick<Redactor, 'redact'>
  bindingOf(sessionId: string, connectorId: string): Bound | undefined
  /** Served servers that a call of the session may pass. */
  hopLimitOf(sessionId: string): number
  /** The tools of a bound connector were read anew. */
  onDescriptors(sessionId: string): void
}

interface Made {
  readonly sessionId: string
  readonly downstream: Downstream
  /** The one that everybody uses; a change of the connector, or of a secret in it, makes another. */
  readonly base: Downstream
  readonly bound: Bound
  readonly connector: Connector
  readonly hopLimit: number
  lastUsedAt: number
}

interface MadeFrom {
  readonly sessionId: string
  readonly entry: ConnectorEntry
  readonly base: Downstream
  readonly bound: Bound
  readonly connector: Connector
  readonly thread: string
}

/** Connections and processes that sessions may have for themselves, all together. */
const maxBound = 256
const sweepMs = 30_000
/** Where links never rest, what nobody used for so long is forgotten all the same. */
const forgetAfterMs = 3_600_000

/**
 * The downstreams that sessions use. Where nothing differs a session shares that of everybody; where a binding has other
 * headers, variables, options or another folder it has one of its own, made of the same connector and its credentials.
 */
export class BoundDownstreams {
  readonly #options: BoundDownstreamsOptions
  readonly #made = new Map<string, Made>()
  /** Names of tools, which are asked for far more often than they change. */
  readonly #names = new WeakMap<Known, readonly string[]>()
  /** On their way out. */
  readonly #retiring = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: BoundDownstreamsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => this.#forgetIdle(performance.now()), sweepMs).unref()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    for (const key of this.#made.keys()) this.#retire(key)
    await Promise.all(this.#retiring)
  }

  /** What a session uses of a connector: undefined when it is not bound, or either is disabled. Throws OVERLOADED. */
  for(place: BoundPlace): Downstream | undefined {
    const entry = this.#find(place.connector)
    const bound = entry && this.#options.bindingOf(place.sessionId, entry.stored.id)
    if (entry?.downstream == null || bound?.isEnabled !== true) return undefined
    if (!needsOwnLink(entry.stored.connector, bound.overrides, bound.session)) return entry.downstream
    const connector = bindConnector(entry.stored.connector, bound.overrides)
    // One for each talk only where that makes a difference.
    const thread = mentions(connector, '{thread_id}') ? (place.thread ?? '') : ''
    const key = keyOf(place.sessionId, entry.stored.id, thread)
    const known = this.#made.get(key)
    if (known !== undefined && this.#isCurrent(known, entry, bound)) {
      known.lastUsedAt = performance.now()
      return known.downstream
    }
    if (known !== undefined) this.#retire(key)
    const { sessionId } = place
    return this.#make(key, { sessionId, entry, base: entry.downstream, bound, connector, thread }).downstream
  }

  /** Whether a session has, or would have, a downstream of its own at a connector. */
  isOwn(place: BoundPlace): boolean {
    const entry = this.#find(place.connector)
    const bound = entry && this.#options.bindingOf(place.sessionId, entry.stored.id)
    return bound !== undefined && needsOwnLink(entry!.stored.connector, bound.overrides, bound.session)
  }

  /** Names of the tools that a session is known to find at a connector; nothing is started for it. */
  toolNames(place: BoundPlace): readonly string[] {
    const entry = this.#find(place.connector)
    if (entry === undefined) return []
    const own = this.#made.get(keyOf(place.sessionId, entry.stored.id))?.downstream
    const known = own?.known ?? entry.downstream?.known ?? entry.known
    return known === null ? [] : this.#namesIn(known)
  }

  #namesIn(known: Known): readonly string[] {
    const names = this.#names.get(known) ?? known.descriptors.read('tools').map(({ name }) => String(name))
    this.#names.set(known, names)
    return names
  }

  /** A connector or a binding was changed or removed: what was made of it before goes at once. */
  review(): void {
    for (const [key, made] of this.#made) {
      const entry = this.#options.connectors.entryOf(made.downstream.id)
      const bound = this.#options.bindingOf(made.sessionId, made.downstream.id)
      if (entry === undefined || bound?.isEnabled !== true || !this.#isCurrent(made, entry, bound)) this.#retire(key)
    }
  }

  /** A secret is another one: what was started with the old one begins anew when it is next used. */
  renewUsersOf(secret: string): void {
    for (const [key, { connector }] of this.#made) if (referencedSecrets(connector).has(secret)) this.#retire(key)
  }

  get metrics(): Metric[] {
    const count = (isCounted: (downstream: Downstream) => boolean) =>
      [...this.#made.values()].filter(({ downstream }) => isCounted(downstream)).length
    return [
      {
        name: 'bound_downstreams',
        help: 'Downstreams that sessions have for themselves.',
        kind: 'gauge',
        read: () => this.#made.size,
      },
      {
        name: 'bound_downstreams_ready',
        help: 'Those of them that are connected.',
        kind: 'gauge',
        read: () => count((downstream) => downstream.health().state === 'ready'),
      },
    ]
  }

  #find(name: string): ConnectorEntry | undefined {
    const wanted = name.toLowerCase()
    return this.#options.connectors.entries().find(({ stored }) => stored.connector.name.toLowerCase() === wanted)
  }

  #make(key: string, from: MadeFrom): Made {
    const { sessionId, entry, base, bound, connector, thread } = from
    this.#makeRoom()
    const { session, overrides } = bound
    const hopLimit = this.#options.hopLimitOf(sessionId)
    const tokens = { ...tokensOf(session), thread_id: thread, hop_limit: String(hopLimit) }
    const credentials = entry.credentials.withOverrides(connector, { isSameAddress: isSameAddress(connector, tokens) })
    const known = isOverridden(overrides) ? null : base.known
    const origin = { known, demands: new ClientDemands(), credentials, tokens }
    const downstream = new Downstream(entry.stored.id, connector, this.#environment(sessionId), origin)
    base.bound.add(downstream)
    const made = { sessionId, downstream, base, bound, connector, hopLimit, lastUsedAt: performance.now() }
    this.#made.set(key, made)
    return made
  }

  #isCurrent({ sessionId, base, bound, connector, hopLimit }: Made, entry: ConnectorEntry, now: Bound): boolean {
    const isSameSession = bound.session.name === now.session.name && bound.session.workingDir === now.session.workingDir
    const isSameLimit = !mentions(connector, '{hop_limit}') || hopLimit === this.#options.hopLimitOf(sessionId)
    return entry.downstream === base && bound.overrides === now.overrides && isSameSession && isSameLimit
  }

  #makeRoom(): void {
    if (this.#made.size < maxBound) return
    const idle = [...this.#made].filter(([, { downstream }]) => downstream.inFlight === 0)
    const oldest = idle.toSorted(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt)[0]
    if (oldest !== undefined) return this.#retire(oldest[0])
    const text = `Sessions have ${maxBound} connections of their own at work, the limit. Try again, or use fewer overrides.`
    throw new HubError('OVERLOADED', text)
  }

  #forgetIdle(now: number): void {
    for (const [key, { downstream, lastUsedAt }] of this.#made) {
      const idleMs = downstream.connector.options.idleTimeoutMs || forgetAfterMs
      if (downstream.inFlight === 0 && now - lastUsedAt > idleMs) this.#retire(key)
      else if (downstream.inFlight > 0) this.#made.get(key)!.lastUsedAt = now
    }
  }

  #retire(key: string): void {
    const made = this.#made.get(key)!
    this.#made.delete(key)
    made.base.bound.delete(made.downstream)
    const retired = made.downstream
      .stop()
      .catch((error: unknown) => {
        this.#options.environment.log.error('a downstream did not stop', { name: made.downstream.name, error })
      })
      .finally(() => this.#retiring.delete(retired))
    this.#retiring.add(retired)
  }

  #environment(sessionId: string): DownstreamEnvironment {
    const { environment, redactor, onDescriptors } = this.#options
    const listener = { ...silentListener, onDescriptors: () => onDescriptors(sessionId) }
    const approvals = environment.approvals && apart(environment.approvals)
    return { ...environment, approvals, listener, redact: (text) => redactor.redact(text) }
  }
}

/** What a session finds is shown to nobody else. */
function apart(approvals: ToolApprovals): ToolApprovals {
  return { compare: (connector, tools) => approvals.compare(connector, tools, { isShown: false }) }
}

/** No client of the hub listens there; what belongs to a call comes with the call. */
const silentListener: Omit<DownstreamListener, 'onDescriptors'> = {
  onNotification: () => {},
  onQuestion: async (_downstream, _connectionId, { method }) =>
    method === 'roots/list'
      ? { result: { roots: [] } }
      : { error: { code: -32603, message: 'No call is under way that this question could belong to.' } },
}

function keyOf(sessionId: string, connectorId: string, thread = ''): string {
  return `${sessionId}/${connectorId}/${thread}`
}

function tokensOf({ name, workingDir }: Bound['session']) {
  return { session_id: name, server_id: sessionServer(name), ...(workingDir !== null && { cwd: workingDir }) }
}

import { hash as digest } from 'node:crypto'
import { HubError, type PinApproval, type PinPolicy, type PinReview, type PinView } from '@herma/contract'
import type { BatchWriterStats } from '../../platform/store/batch-writer.ts'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { diffDescriptor } from './diff-descriptor.ts'
import { textOf, type Descriptor } from '../../wire/index.ts'
import { hashDescriptor, hashOfValues } from './hash-descriptor.ts'
import {
  approvePin,
  pendingState,
  reasonOf,
  rehashPin,
  renewPin,
  toVerdict,
  type Pin,
  type PinVerdict,
  nothingUnsaved,
} from './pin.ts'
import { PinWriter } from './pin-writer.ts'
import { scanDescriptor } from './scan/scan-descriptor.ts'
import type { PinStore } from './store.ts'

export interface PinnedConnector {
  readonly id: string
  readonly name: string
  readonly policy: PinPolicy
}

export interface PinFilter {
  readonly connectorId?: string | undefined
  /** Only what waits for a person. */
  readonly isPending?: boolean | undefined
}

export interface PinsOptions {
  readonly store: PinStore
  readonly events: Events
  readonly log: Log
  /** Something was approved, so more may be served than before. */
  onApproved?(connectorId: string): void
}

interface KnownConnector {
  name: string
  policy: PinPolicy
  /** Counts the checks; a pin that was not seen in the last one is not offered. */
  round: number
  readonly pins: Map<string, Pin>
  /** What was told of links that are for some only, by tool and hash. */
  readonly told: Set<string>
  /** The last list and what was said about it; null when something else would be said by now. */
  last: { readonly fingerprint: string; readonly verdicts: readonly PinVerdict[] } | null
}

/** Tools that a connector has had before and does not offer now are remembered up to this number. */
const maxAbsent = 10_000
/** A server that changes everything at once is one piece of news, not thousands. */
const maxEvents = 100

/**
 * Knows of every tool how it was approved. The tools that a connector brings first are approved as they are; what comes
 * or changes later waits for a person, unless the policy of the connector says otherwise. Memory holds hashes only.
 */
export class Pins {
  readonly #options: PinsOptions
  readonly #connectors = new Map<string, KnownConnector>()
  readonly #writer: PinWriter

  constructor(options: PinsOptions) {
    this.#options = options
    const find = (connectorId: string, tool: string) => this.#connectors.get(connectorId)?.pins.get(tool)
    this.#writer = new PinWriter(options.store, options.log, find)
  }

  async start(): Promise<void> {
    await this.#options.store.prune()
    for (const { connectorId, tool, approvedAt, seenAt, ...pin } of await this.#options.store.loadAll()) {
      const times = { approvedAtMs: approvedAt?.getTime() ?? null, seenAtMs: seenAt.getTime() }
      this.#connector(connectorId).pins.set(tool, { ...pin, ...times, round: 0, unsaved: nothingUnsaved })
    }
  }

  /** Everything that was noticed is stored before this resolves, unless the store is away. */
  async stop(): Promise<void> {
    await this.#writer.stop()
  }

  /** Tells of every tool, in the order given, whether it is as it was approved, and remembers what is new. */
  check({ id, name, policy }: PinnedConnector, tools: readonly Descriptor[]): readonly PinVerdict[] {
    const isFirstSight = !this.#connectors.has(id)
    // A server that could not be asked so far shows nothing; its first sight is yet to come.
    if (tools.length === 0 && isFirstSight) return []
    const connector = this.#connector(id)
    connector.name = name
    // Most lists are the one that was there before, and one hash of a list takes less time than one for each tool.
    const fingerprint = fingerprintOf(policy, tools)
    if (connector.last?.fingerprint === fingerprint) return connector.last.verdicts
    connector.policy = policy
    connector.round++
    const news: PinVerdict[] = []
    const verdicts = tools.map((descriptor) => {
      const tool = String(descriptor['name'])
      const hash = hashDescriptor(descriptor)
      const pin = this.#follow(connector.pins.get(tool), hash, descriptor)
      if (pin?.round === connector.round && pin.hash !== hash) {
        return { tool, hash, state: pendingState(policy), reason: 'duplicate' } satisfies PinVerdict
      }
      const isNews = pin?.hash !== hash
      if (pin !== undefined && pin !== connector.pins.get(tool)) this.#writer.add(id, tool)
      const seen = isNews ? renewPin(pin, hash, descriptor) : pin
      seen.round = connector.round
      connector.pins.set(tool, seen)
      const reason = reasonOf(seen)
      const isApproving = reason !== null && (isFirstSight || policy === 'allow')
      if (isApproving) approvePin(seen)
      if (isNews || isApproving) this.#writer.add(id, tool)
      const verdict = toVerdict(tool, seen, policy)
      if (isNews && !isFirstSight) news.push({ ...verdict, reason })
      return verdict
    })
    connector.last = { fingerprint, verdicts }
    this.#forgetAbsent(id, connector)
    this.#tell(connector, news)
    return verdicts
  }

  /**
   * Of the tools of one process or session those that are not as they were approved, and those that it does not offer,
   * each with the reason. Nothing is remembered of them; what is shown to nobody (`isShown`) is told here.
   */
  compare({ id, name, policy }: PinnedConnector, tools: readonly Descriptor[], { isShown }: { isShown: boolean }) {
    const differing = new Map<string, 'new' | 'changed' | 'gone'>()
    const connector = this.#connectors.get(id)
    const pins = connector?.pins ?? new Map<string, Pin>()
    const last = connector?.last?.fingerprint === fingerprintOf(policy, tools) ? connector.last : null
    const offered = new Set<string>()
    const news: PinVerdict[] = []
    for (const [index, descriptor] of tools.entries()) {
      const tool = String(descriptor['name'])
      // Of several with one name clients see the first.
      if (offered.has(tool)) continue
      offered.add(tool)
      if (last?.verdicts[index]?.state === 'approved') continue
      const hash = hashDescriptor(descriptor)
      const approvedHash = pins.get(tool)?.approvedHash ?? null
      if (approvedHash === hash) continue
      const reason = approvedHash === null ? 'new' : 'changed'
      differing.set(tool, reason)
      if (!isShown && reason === 'changed') news.push({ tool, hash, state: pendingState(policy), reason })
    }
    for (const tool of pins.keys()) if (!offered.has(tool)) differing.set(tool, 'gone')
    if (connector !== undefined) this.#tell({ ...connector, name, policy }, untold(connector, news))
    return differing
  }

  /** By connector and tool. */
  list({ connectorId, isPending }: PinFilter = {}): PinView[] {
    const ids = connectorId === undefined ? [...this.#connectors.keys()] : [connectorId]
    const views = ids.flatMap((id) =>
      [...(this.#connectors.get(id)?.pins.keys() ?? [])].map((tool) => this.#view(id, tool)),
    )
    const wanted = isPending === undefined ? views : views.filter(({ reason }) => (reason !== null) === isPending)
    return wanted.toSorted((a, b) => compareText(a.connector, b.connector) || compareText(a.tool, b.tool))
  }

  /** A tool with the difference to what was approved and what the scan finds. */
  async review(connectorId: string, tool: string): Promise<PinReview> {
    await this.#writer.flush()
    const pin = this.#find(connectorId, tool)
    const hashes = [pin.hash, ...(pin.approvedHash === null ? [] : [pin.approvedHash])]
    const descriptors = await this.#options.store.loadDescriptors(hashes)
    const current = descriptors.get(pin.hash) ?? null
    const approved = descriptors.get(pin.approvedHash ?? '') ?? null
    return {
      ...this.#view(connectorId, tool),
      approved,
      current,
      differences: approved === null || current === null ? [] : diffDescriptor(approved, current),
      findings: current === null ? [] : scanDescriptor(current),
    }
  }

  /** Approves a tool as it was reviewed. Throws PIN_MOVED when it is something else by now. */
  async approve(connectorId: string, tool: string, reviewedHash: string): Promise<PinView> {
    const [view] = await this.approveAll(connectorId, [{ tool, hash: reviewedHash }])
    return view!
  }

  /** All or none: one tool that moved meanwhile leaves the others as they are. */
  async approveAll(connectorId: string, reviewed: readonly PinApproval[]): Promise<PinView[]> {
    if (reviewed.length === 0) return []
    const pins = reviewed.map(({ tool, hash }) => ({ tool, pin: this.#requireHash(connectorId, tool, hash) }))
    const connector = this.#connectors.get(connectorId)!
    connector.last = null
    connector.told.clear()
    for (const { tool, pin } of pins) {
      if (reasonOf(pin) === null) continue
      approvePin(pin)
      this.#writer.add(connectorId, tool)
      this.#options.events.emit('tool.approved', connector.name, { tool, hash: pin.hash })
    }
    this.#options.onApproved?.(connectorId)
    await this.#writer.flush()
    return reviewed.map(({ tool }) => this.#view(connectorId, tool))
  }

  /** True when a connector offers just what was approved. */
  isAsApproved(connectorId: string): boolean {
    const connector = this.#connectors.get(connectorId)
    if (connector === undefined) return true
    for (const pin of connector.pins.values())
      if (pin.round !== connector.round || pin.approvedHash !== pin.hash) return false
    return true
  }

  /** The tools of a connector as they were approved: those that it offers now as they came, the others as stored. */
  async approvedTools(connectorId: string, offered: readonly Descriptor[]): Promise<Descriptor[]> {
    const current = new Map(offered.map((descriptor) => [hashDescriptor(descriptor), descriptor]))
    const pins = [...(this.#connectors.get(connectorId)?.pins.values() ?? [])]
    const hashes = pins.flatMap(({ approvedHash }) => approvedHash ?? [])
    const absent = hashes.filter((hash) => !current.has(hash))
    if (absent.length > 0) await this.#writer.flush()
    const stored = absent.length > 0 ? await this.#options.store.loadDescriptors(absent) : new Map<string, Descriptor>()
    return hashes.map((hash) => current.get(hash) ?? stored.get(hash)).filter((descriptor) => descriptor !== undefined)
  }

  /** A person saw that tools are not offered any more: they are not expected from now on. */
  dropAbsent(connectorId: string): string[] {
    const connector = this.#connectors.get(connectorId)
    const absent = connector === undefined ? [] : [...connector.pins].filter(([, pin]) => pin.round !== connector.round)
    for (const [tool] of absent) {
      connector!.pins.delete(tool)
      this.#writer.add(connectorId, tool)
    }
    return absent.map(([tool]) => tool)
  }

  /** The connector is gone; another one of its name is a stranger. */
  forget(connectorId: string): void {
    const tools = [...(this.#connectors.get(connectorId)?.pins.keys() ?? [])]
    this.#connectors.delete(connectorId)
    for (const tool of tools) this.#writer.add(connectorId, tool)
  }

  stats(): BatchWriterStats {
    return this.#writer.stats()
  }

  /** A pin from before numbers counted as they are written is of the same tool when its values are the same. */
  #follow(pin: Pin | undefined, hash: string, descriptor: Descriptor): Pin | undefined {
    if (pin === undefined || pin.hash === hash || pin.hash !== hashOfValues(descriptor)) return pin
    return rehashPin(pin, hash, descriptor)
  }

  #connector(id: string): KnownConnector {
    const known = this.#connectors.get(id) ?? {
      name: id,
      policy: 'warn',
      round: 0,
      pins: new Map(),
      told: new Set<string>(),
      last: null,
    }
    this.#connectors.set(id, known)
    return known
  }

  #forgetAbsent(id: string, { pins, round }: KnownConnector): void {
    const absent = [...pins].filter(([, pin]) => pin.round !== round)
    const excess = absent.length - maxAbsent
    for (const [index, [tool, pin]] of absent.entries()) {
      // A tool that comes back unchanged keeps its approval; one that never had any has nothing to keep.
      if (pin.approvedHash !== null && index >= excess) continue
      pins.delete(tool)
      this.#writer.add(id, tool)
    }
  }

  #tell({ name, policy }: KnownConnector, news: readonly PinVerdict[]): void {
    for (const { tool, hash, state, reason } of news.slice(0, maxEvents)) {
      if (reason !== null) this.#options.events.emit('tool.changed', name, { tool, hash, state, reason, policy })
    }
    const more = news.length - maxEvents
    if (more > 0) this.#options.events.emit('tool.changed', name, { more, policy })
  }

  #view(connectorId: string, tool: string): PinView {
    const { name, policy, round } = this.#connectors.get(connectorId)!
    const pin = this.#find(connectorId, tool)
    const { state } = toVerdict(tool, pin, policy)
    return {
      connectorId,
      connector: name,
      tool,
      state,
      reason: reasonOf(pin),
      isOffered: round > 0 && pin.round === round,
      hash: pin.hash,
      seenAt: new Date(pin.seenAtMs).toISOString(),
      approvedHash: pin.approvedHash,
      approvedAt: pin.approvedAtMs === null ? null : new Date(pin.approvedAtMs).toISOString(),
      risk: pin.risk,
    }
  }

  #find(connectorId: string, tool: string): Pin {
    const connector = this.#connectors.get(connectorId)
    const pin = connector?.pins.get(tool)
    if (pin !== undefined) return pin
    throw new HubError(
      'TOOL_NOT_FOUND',
      `'${connector?.name ?? connectorId}' has shown no tool '${tool}'. See: herma catalog pins`,
    )
  }

  #requireHash(connectorId: string, tool: string, hash: string): Pin {
    const pin = this.#find(connectorId, tool)
    if (pin.hash === hash) return pin
    throw new HubError(
      'PIN_MOVED',
      `'${tool}' has changed since it was reviewed: it is ${pin.hash.slice(0, 12)} now, not ${hash.slice(0, 12)}. Review it again.`,
      { data: { tool, hash: pin.hash } },
    )
  }
}

function fingerprintOf(policy: PinPolicy, tools: readonly Descriptor[]): string {
  return digest('sha256', `${policy}\n${tools.map(textOf).join('\n')}`, 'base64')
}

/** What was not told before; a server that shows each principal something else is told of up to a limit. */
function untold({ told }: KnownConnector, news: readonly PinVerdict[]): PinVerdict[] {
  return news.filter(({ tool, hash }) => {
    const key = `${tool}\n${hash}`
    if (told.has(key) || told.size >= maxEvents) return false
    told.add(key)
    return true
  })
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

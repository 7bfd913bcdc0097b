import { HubError, type Connector } from '@herma/contract'
import type { Call, Caller } from '../../wire/index.ts'
import type { Distinction } from './distinction.ts'
import type { Handshake } from '../link/handshake.ts'
import { LinkGroup, type LinkRole } from './link-group.ts'
import type { LinkSupervisor } from './link-supervisor.ts'

/** What a link is for, and on whose behalf. */
export type GroupedRole = LinkRole & { readonly principal: string }

interface LinkGroupsOptions {
  create(role: GroupedRole): LinkSupervisor
  /** What was learnt of the server before. */
  known(): Handshake | null
  /** What the server was seen to tell its clients apart by. */
  readonly distinctions: ReadonlySet<Distinction>
  isNeeded(supervisor: LinkSupervisor): boolean
  /** Whether each principal has links of its own. */
  readonly isPersonal: boolean
  /** On whose behalf the lists are read. */
  reader(): string
}

/** Principals that may have links at once; a process for each costs more than a session. */
const maxPrincipals = { stdio: 32, sse: 256, stream: 1024, http: 1024 }

/** The links of a downstream: one group for all clients, or one for each principal, whose links nobody else uses. */
export class LinkGroups {
  readonly #connector: Connector
  readonly #options: LinkGroupsOptions
  readonly #groups = new Map<string, LinkGroup>()
  #reader: string
  #base: LinkGroup

  constructor(connector: Connector, options: LinkGroupsOptions) {
    this.#connector = connector
    this.#options = options
    this.#reader = options.reader()
    this.#base = this.#add(this.#reader)
  }

  /** The link that reads the lists. */
  get shared(): LinkSupervisor {
    return this.#base.shared
  }

  all(): LinkSupervisor[] {
    return [...this.#groups.values()].flatMap((group) => group.all())
  }

  /** The link for a call, or null when it has to wait until another client's call is over. */
  for(call: Call): LinkSupervisor | null {
    return this.#groupOf(call.caller).for(call)
  }

  /** The first link of a principal. */
  firstOf(principal: string): LinkSupervisor {
    return (this.#ofPrincipal(principal) ?? this.#add(principal)).shared
  }

  homeOf(caller: Caller): LinkSupervisor {
    return this.#groupOf(caller).homeOf(caller)
  }

  serves(supervisor: LinkSupervisor, caller: Caller): boolean {
    return this.#find(caller)?.serves(supervisor, caller) === true
  }

  of(caller: Caller): LinkSupervisor | null {
    return this.#find(caller)?.of(caller) ?? null
  }

  opened(role: GroupedRole, handshake: Handshake): void {
    this.#ofPrincipal(role.principal)?.opened(role, handshake)
  }

  noteStrayQuestion({ principal }: GroupedRole): void {
    this.#ofPrincipal(principal)?.noteStrayQuestion()
  }

  /** A link that was opened for a client which belongs to another one is not kept for nothing. */
  release(supervisor: LinkSupervisor): void {
    for (const group of this.#groups.values()) group.release(supervisor)
  }

  noteDistinction(): void {
    for (const group of this.#groups.values()) group.noteDistinction()
  }

  closeConnection(connectionId: string): void {
    for (const group of this.#groups.values()) group.closeConnection(connectionId)
  }

  /** True for links whose lists may be shown to everybody. */
  isBase({ principal }: GroupedRole): boolean {
    return !this.#options.isPersonal || principal === this.#reader
  }

  /** Reads the lists on behalf of somebody else, where the one so far has no credentials any more. */
  rebase(): void {
    if (!this.#options.isPersonal) return
    this.#reader = this.#options.reader()
    this.#base = this.#groups.get(this.#reader) ?? this.#add(this.#reader)
  }

  /** Closes the links of a principal, as when its credentials changed; its next call opens others. */
  async drop(principal: string): Promise<void> {
    const group = this.#options.isPersonal ? this.#groups.get(principal) : this.#base
    if (group === undefined) return
    if (group === this.#base) await Promise.all(group.all().map((supervisor) => supervisor.rest()))
    else await this.#close(principal, group)
  }

  /** Forgets the principals that have not called for a while. */
  sweep(now: number): void {
    const idleMs = this.#connector.options.idleTimeoutMs || forgetAfterMs
    for (const [principal, group] of this.#groups) {
      if (group === this.#base || !this.#isIdle(group)) continue
      if (now - lastUseOf(group) > idleMs) void this.#close(principal, group)
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.stop()))
  }

  #groupOf({ principal }: Caller): LinkGroup {
    if (!this.#options.isPersonal) return this.#base
    return this.#groups.get(principal) ?? this.#add(principal)
  }

  #find({ principal }: Caller): LinkGroup | undefined {
    return this.#ofPrincipal(principal)
  }

  #ofPrincipal(principal: string): LinkGroup | undefined {
    return this.#options.isPersonal ? this.#groups.get(principal) : this.#base
  }

  #add(principal: string): LinkGroup {
    if (this.#groups.size >= maxPrincipals[this.#connector.transport]) this.#dropIdle()
    const group = new LinkGroup(this.#connector, {
      create: (role) => this.#options.create({ ...role, principal }),
      known: this.#options.known(),
      distinctions: this.#options.distinctions,
      isNeeded: (supervisor) => this.#options.isNeeded(supervisor),
    })
    this.#groups.set(principal, group)
    return group
  }

  #dropIdle(): void {
    const idle = [...this.#groups].filter(([, group]) => group !== this.#base && this.#isIdle(group))
    const oldest = idle.toSorted(([, a], [, b]) => lastUseOf(a) - lastUseOf(b))[0]
    if (oldest === undefined) {
      const text = `'${this.#connector.name}' serves ${this.#groups.size} principals at once, its limit. Try again.`
      throw new HubError('OVERLOADED', text)
    }
    void this.#close(...oldest)
  }

  #isIdle(group: LinkGroup): boolean {
    return group.all().every((supervisor) => {
      const isBusy = supervisor.waiting.size > 0 || (supervisor.link?.pending.size ?? 0) > 0
      return !isBusy && !this.#options.isNeeded(supervisor)
    })
  }

  async #close(principal: string, group: LinkGroup): Promise<void> {
    this.#groups.delete(principal)
    await group.stop()
  }
}

/** Where links of a connector never rest, a principal is forgotten all the same. */
const forgetAfterMs = 3_600_000

function lastUseOf(group: LinkGroup): number {
  return Math.max(...group.all().map((supervisor) => supervisor.lastUsedAt))
}

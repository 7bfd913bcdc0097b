import type { Connector, HubError } from '@herma/contract'
import { endOverdue } from './end-overdue.ts'
import type { LinkGroups } from './link-groups.ts'
import type { LinkSupervisor } from './link-supervisor.ts'
import type { Link } from '../link/link.ts'

const sweepMs = 500
/** How long a process stays that only read the lists. */
const spareMs = 5000

interface SweeperOptions {
  readonly connector: Connector
  readonly links: Pick<LinkGroups, 'all' | 'shared'>
  /** True for a link that must stay, because something is expected of it. */
  isNeeded(supervisor: LinkSupervisor): boolean
  onOverdue(error: HubError): void
  onRest(text: string): void
  onSweep(now: number): void
}

/** One timer for the links of a downstream: ends calls that took too long, and closes links that nobody uses. */
export class LinkSweeper {
  readonly #options: SweeperOptions
  /** Links that take no more calls and still have some to answer. */
  readonly #retired = new Set<Link>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  get retired(): ReadonlySet<Link> {
    return this.#retired
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#sweep(), sweepMs).unref()
  }

  retire(link: Link): void {
    if (link.pending.size > 0) this.#retired.add(link)
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await Promise.all([...this.#retired].map((link) => link.close()))
  }

  #sweep(): void {
    const { connector, links, onOverdue } = this.#options
    for (const link of this.#retired) if (link.pending.size === 0) this.#retired.delete(link)
    const supervisors = links.all()
    for (const link of [...supervisors.flatMap((supervisor) => supervisor.link ?? []), ...this.#retired])
      endOverdue(link, connector, (error) => onOverdue(error))
    const now = performance.now()
    for (const supervisor of supervisors) this.#restIdle(supervisor, supervisors, now)
    this.#options.onSweep(now)
  }

  /** The next call opens the link again. */
  #restIdle(supervisor: LinkSupervisor, supervisors: readonly LinkSupervisor[], now: number): void {
    const { connector, links, isNeeded, onRest } = this.#options
    if (supervisor.link === null || supervisor.link.pending.size > 0 || supervisor.waiting.size > 0) return
    const { idleTimeoutMs, start, isolation } = connector.options
    const isProcess = connector.transport === 'stdio'
    const isShared = supervisor === links.shared
    if (isShared && (!isProcess || start === 'boot')) return
    // The process that only read the lists goes when the clients have one of their own; one that serves them stays.
    const isSpare =
      isShared && isolation !== 'shared' && supervisors.some((other) => other !== supervisor && other.link !== null)
    const limitMs = isSpare ? spareMs : idleTimeoutMs
    if (limitMs === 0 || now - supervisor.lastUsedAt <= limitMs || isNeeded(supervisor)) return
    if (isProcess && !isSpare) onRest('stopped because nobody used it; the next call starts it again')
    void supervisor.rest()
  }
}

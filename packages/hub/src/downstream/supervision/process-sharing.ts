import type { Connector } from '@herma/contract'
import type { Descriptor } from '../../wire/index.ts'
import { listDescriptors } from '../descriptor/descriptors.ts'
import type { Distinction } from './distinction.ts'
import type { LinkRole } from './link-group.ts'
import type { Link } from '../link/link.ts'

/** How long calls wait for a process that has not shown yet that it is at work. */
const settleMs = 2000

interface SharingOptions {
  /** What was seen before. */
  readonly known: readonly Distinction[]
  /** The tools of the process for all clients. */
  tools(): readonly Descriptor[]
  onDistinction(distinction: Distinction): void
}

/** Knows what a stdio server tells its clients apart by, so that they share one process in everything else. */
export class ProcessSharing {
  readonly #seen: Set<Distinction>
  readonly #connector: Connector
  readonly #options: SharingOptions

  constructor(connector: Connector, options: SharingOptions) {
    this.#connector = connector
    this.#options = options
    this.#seen = new Set(options.known)
  }

  get distinctions(): ReadonlySet<Distinction> {
    return this.#seen
  }

  /** The process for all clients cannot be told the truth about each. Those that it matters for have another from now on. */
  note(distinction: Distinction | null): void {
    if (distinction === null || !this.#isShared || this.#seen.has(distinction)) return
    this.#seen.add(distinction)
    this.#options.onDistinction(distinction)
  }

  /**
   * Waits until a process that was opened has answered something. What it asks at its start, as for roots, must not look
   * as if the first call had asked. `heard` resolves when it has answered with a list.
   */
  async settle(link: Link, role: LinkRole, heard: Promise<void>): Promise<void> {
    if (this.#connector.transport !== 'stdio' || link.era !== 'legacy') return
    const isNewKind = role.kind === 'lane' && role.isSpread !== true && this.#isShared
    await Promise.race([isNewKind ? this.#compareTools(link) : heard, delay(settleMs)])
  }

  /** A process that was told less shows whether tools depend on what a client can do. */
  async #compareTools(link: Link): Promise<void> {
    const listed = await listDescriptors(link, 'tools').catch(() => null)
    if (listed === null) return
    const names = new Set(listed.map(({ name }) => name))
    if (this.#options.tools().some(({ name }) => !names.has(name))) this.note('tools')
  }

  get #isShared(): boolean {
    return this.#connector.transport === 'stdio' && this.#connector.options.isolation === 'shared'
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

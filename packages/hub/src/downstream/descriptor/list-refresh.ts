import type { Connector } from '@herma/contract'
import type { LinkSupervisor } from '../supervision/link-supervisor.ts'
import type { Link } from '../link/link.ts'
import type { DescriptorReader } from './descriptor-reader.ts'
import type { ToolLooks } from './tool-looks.ts'

/** Hints that come in a row lead to one reading in this time. */
const doubtGapMs = 1000
/** Servers that were started together are not read together: each takes between this part of the interval and all of it. */
const leastPart = 0.8

/**
 * Reads lists again by themselves, because a server may change them without saying so: at an interval while it is used,
 * and after what suggests it. What nobody uses is not asked, and nothing is started for it.
 */
export class ListRefresh {
  readonly #intervalMs: number
  readonly #reader: DescriptorReader
  readonly #looks: ToolLooks
  readonly #doubted = new WeakSet<Link>()

  constructor({ options }: Connector, reader: DescriptorReader, looks: ToolLooks) {
    this.#intervalMs = options.listRefreshMs * (leastPart + Math.random() * (1 - leastPart))
    this.#reader = reader
    this.#looks = looks
  }

  /** Something suggests that the server offers something else by now, such as that it does not know a tool. */
  doubt(link: Link): void {
    this.#doubted.add(link)
    this.#looks.expire(link)
  }

  sweep(supervisors: readonly LinkSupervisor[], now: number): void {
    for (const { link, lastUsedAt } of supervisors) {
      if (link === null || link.isClosed || link.handshake === null) continue
      const readAt = this.#reader.readAt(link)
      if (readAt === null) continue
      const age = now - readAt
      const isDue = this.#intervalMs > 0 && age > this.#intervalMs
      const isDoubted = age > doubtGapMs && this.#doubted.has(link)
      if (!isDue && !isDoubted) continue
      const isUsed = lastUsedAt > readAt
      this.#doubted.delete(link)
      // Calls of a server at work need not wait for a look that nothing else suggests.
      if (!isUsed) this.#looks.expire(link)
      else this.#reader.readAgain(link)
    }
  }
}

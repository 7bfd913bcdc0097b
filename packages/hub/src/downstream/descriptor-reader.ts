import { descriptorKinds, listDescriptors, noDescriptors, type Descriptor, type DescriptorKind } from './descriptors.ts'
import type { Known } from './known.ts'
import type { Link } from './link.ts'

interface ReaderOptions {
  /** The open link, or null while there is none. */
  link(): Link | null
  known(): Known | null
  onRead(known: Known): void
  onError(error: Error): void
}

/** Reads the lists of a server: all of them on a new link, and later those that it says have changed. */
export class DescriptorReader {
  readonly #options: ReaderOptions
  #stale = new Set<DescriptorKind>()
  #reading: Promise<void> | null = null

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /** Resolves when nothing is being read. */
  get done(): Promise<void> {
    return this.#reading ?? Promise.resolve()
  }

  /** Changes that arrive while lists are read are read right after. */
  refresh(kinds: readonly DescriptorKind[] = descriptorKinds): void {
    for (const kind of kinds) this.#stale.add(kind)
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
  }

  async #read(): Promise<void> {
    while (this.#stale.size > 0) {
      const link = this.#options.link()
      if (link === null || link.isClosed || link.handshake === null) return
      const kinds = [...this.#stale]
      this.#stale = new Set()
      const lists = await Promise.all(kinds.map((kind) => this.#readOne(link, kind)))
      const read = lists.filter((list) => list !== null)
      if (read.length === 0) continue
      const before = this.#options.known()?.descriptors ?? noDescriptors
      const descriptors = { ...before, ...Object.fromEntries(read) }
      this.#options.onRead({ descriptors, handshake: link.handshake, fetchedAt: new Date() })
    }
  }

  /** A list that cannot be read leaves the others alone. */
  async #readOne(link: Link, kind: DescriptorKind): Promise<readonly [DescriptorKind, Descriptor[]] | null> {
    try {
      return [kind, await listDescriptors(link, kind)]
    } catch (error) {
      this.#options.onError(error as Error)
      return null
    }
  }
}

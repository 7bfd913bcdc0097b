import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import type { Revision } from '../revision.ts'
import type { Json } from '../wire-message.ts'

export const listKinds = ['tools', 'prompts', 'resources'] as const
export type ListKind = (typeof listKinds)[number]

/** A change that clients may want to hear of. */
export type Change = { readonly list: ListKind } | { readonly uri: string }

export interface JournalEntry {
  readonly event: string
  readonly key: string
}

const maxItems = 1000
const followMs = 25

/**
 * What one matrix server is and remembers, whoever is connected. Everything that happens is a line of its journal, and
 * its lists and resources are made of these lines: a hub may run several processes of one server, and like the files of
 * a real server the world is the same for all of them.
 */
export class World {
  readonly revision: Revision
  /** Part of its URIs, so that no two servers behind one hub share any. */
  readonly name: string
  /** Names that a client added to a list with the tool `change`. */
  readonly added: Record<ListKind, Set<string>> = { tools: new Set(), prompts: new Set(), resources: new Set() }
  readonly #versions = new Map<string, number>()
  readonly #watchers = new Set<(change: Change) => void>()
  readonly #journal: string
  #read = 0
  #rest = ''

  constructor(options: { revision: Revision; name: string; journal: string }) {
    this.revision = options.revision
    this.name = options.name
    this.#journal = options.journal
  }

  uri(path: string): string {
    return `matrix://${this.name}/${path}`
  }

  get info(): Json {
    return { name: `matrix-${this.name}`, version: '1.0.0' }
  }

  note(event: string, key: string): void {
    appendFileSync(this.#journal, `${JSON.stringify({ event, key } satisfies JournalEntry)}\n`)
  }

  /** Whether this process or another one has noted it. */
  isNoted(event: string, key: string): boolean {
    const line = JSON.stringify({ event, key } satisfies JournalEntry)
    return existsSync(this.#journal) && readFileSync(this.#journal, 'utf8').split('\n').includes(line)
  }

  version(uri: string): number {
    return this.#versions.get(uri) ?? 1
  }

  touch(uri: string): void {
    this.note('touch', uri)
    this.catchUp()
  }

  change(kind: ListKind, name: string, isAdded: boolean): void {
    if (isAdded && this.added[kind].size >= maxItems) throw new Error(`There are ${maxItems} added ${kind} already.`)
    this.note(`${isAdded ? 'add' : 'remove'} ${kind}`, name)
    this.catchUp()
  }

  /** Notices what other processes of this server do. */
  follow(): void {
    setInterval(() => this.catchUp(), followMs).unref()
  }

  /** Returns the function that ends it. */
  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Applies the lines that were written since the last time. */
  catchUp(): void {
    if (!existsSync(this.#journal)) return
    const { size } = statSync(this.#journal)
    if (size === this.#read) return
    const bytes = Buffer.alloc(size - this.#read)
    const file = openSync(this.#journal, 'r')
    readSync(file, bytes, 0, bytes.length, this.#read)
    closeSync(file)
    this.#read = size
    const lines = (this.#rest + bytes.toString('utf8')).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) this.#apply(JSON.parse(line) as JournalEntry)
  }

  #apply({ event, key }: JournalEntry): void {
    if (event === 'touch') {
      if (this.#versions.size >= maxItems) this.#versions.clear()
      this.#versions.set(key, this.version(key) + 1)
      return this.#tell({ uri: key })
    }
    const list = listKinds.find((kind) => event === `add ${kind}` || event === `remove ${kind}`)
    if (list === undefined) return
    if (event.startsWith('add')) this.added[list].add(key)
    else this.added[list].delete(key)
    this.#tell({ list })
  }

  #tell(change: Change): void {
    for (const watcher of this.#watchers) watcher(change)
  }
}

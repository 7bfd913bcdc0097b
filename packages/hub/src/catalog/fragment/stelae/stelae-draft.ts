import { isObject } from '../../../wire/index.ts'
import type { FragmentProblem } from '../check/explain-issue.ts'
import type { JsonPath } from '../json/json-path.ts'
import { OriginTree } from './origin-tree.ts'

export type Draft = Record<string, unknown>

/** A document of Stelae's on its way to a fragment of Herma's, with what was noted on the way. */
export class StelaeDraft {
  readonly root: Draft
  readonly differences: FragmentProblem[] = []
  /** Names under which Stelae serves tools of its own; Herma's own tools have no server but `herma`. */
  readonly ownServers = new Set(['tool_aggregator', 'facade'])
  readonly #tree: OriginTree

  constructor(document: Draft) {
    this.#tree = new OriginTree(document)
    this.root = this.#tree.root as Draft
  }

  /** Notes something at an entry of an object or list of the draft. */
  note(owner: object, key: string | number, message: string): void {
    this.differences.push({ path: [...this.pathOf(owner), key], message, at: 'key' })
  }

  /** Where an object or list was; the root for one that is new. */
  pathOf(entry: object): JsonPath {
    return this.#tree.pathOf(entry) ?? []
  }

  /** Gives hidden tools the server that Herma's own tools have. */
  renameOwnServers(hides: unknown): void {
    for (const entry of Array.isArray(hides) ? (hides as unknown[]) : []) {
      const server = isObject(entry) ? entry['server'] : undefined
      if (!isObject(entry) || typeof server !== 'string' || !this.ownServers.has(server)) continue
      entry['server'] = 'herma'
      this.note(entry, 'server', `'${server}' is taken as 'herma': Herma's own tools have that server.`)
    }
  }

  /** Takes a key out of an object. */
  take(owner: Draft, key: string): unknown {
    const value = owner[key]
    delete owner[key]
    return value
  }

  /** Takes a key that has two spellings; the first one counts, as in Stelae. */
  takeEither(owner: Draft, first: string, second: string): unknown {
    const value = this.take(owner, first)
    if (value === undefined) return this.take(owner, second)
    if (second in owner) this.leaveOut(owner, second, `'${second}' is left out: '${first}' is there too.`)
    return value
  }

  /** Drops a key, with the reason. */
  leaveOut(owner: Draft, key: string, reason: string): void {
    if (!(key in owner)) return
    this.note(owner, key, reason)
    delete owner[key]
  }

  /** Leaves out list entries that another one makes meaningless; the list stays where it is. */
  keepEntries(list: unknown[], reasonAgainst: (entry: unknown, index: number) => string | undefined): void {
    const kept = list.filter((entry, index) => {
      const reason = reasonAgainst(entry, index)
      if (reason === undefined) return true
      const own = typeof entry === 'object' && entry !== null ? this.#tree.pathOf(entry) : undefined
      const path = own ?? [...(this.#tree.pathOf(list) ?? []), index]
      this.differences.push({ path, message: reason, at: 'value' })
      return false
    })
    for (const [index, entry] of kept.entries()) list[index] = entry
    list.length = kept.length
  }

  originOf(rearranged: unknown, path: JsonPath): JsonPath {
    return this.#tree.originOf(rearranged, path)
  }
}

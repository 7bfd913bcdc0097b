import { isObject } from '../../../wire/index.ts'
import type { JsonPath } from '../json/json-path.ts'

/**
 * A copy of a document that may be rearranged: each of its objects and lists remembers where it was, so that an error
 * that is found after the rearrangement is shown at the line that people wrote.
 */
export class OriginTree {
  readonly root: unknown
  readonly #places = new Map<object, { readonly parent: object | undefined; readonly key: string | number }>()

  constructor(value: unknown) {
    this.root = this.#copy(value, undefined, '')
  }

  /** Where an object or list of the copy was; undefined for one that was made later. */
  pathOf(entry: object): JsonPath | undefined {
    const path: (string | number)[] = []
    let place = this.#places.get(entry)
    if (place === undefined) return undefined
    while (place?.parent !== undefined) {
      path.unshift(place.key)
      place = this.#places.get(place.parent)
    }
    return path
  }

  /** Where the value at a path of a rearranged tree was. */
  originOf(rearranged: unknown, path: JsonPath): JsonPath {
    let value = rearranged
    let origin: JsonPath = []
    for (const [index, part] of [undefined, ...path].entries()) {
      if (part !== undefined) value = (value as Record<string | number, unknown> | undefined)?.[part]
      const own = typeof value === 'object' && value !== null ? this.pathOf(value) : undefined
      if (own !== undefined) origin = own
      else if (index > 0) origin = [...origin, part as string | number]
      if (value === undefined || value === null) return [...origin, ...path.slice(index)]
    }
    return origin
  }

  #copy(value: unknown, parent: object | undefined, key: string | number): unknown {
    if (Array.isArray(value)) {
      const list: unknown[] = []
      this.#places.set(list, { parent, key })
      for (const [index, entry] of value.entries()) list.push(this.#copy(entry, list, index))
      return list
    }
    if (!isObject(value)) return value
    const copy: Record<string, unknown> = {}
    this.#places.set(copy, { parent, key })
    for (const [name, entry] of Object.entries(value)) copy[name] = this.#copy(entry, copy, name)
    return copy
  }
}

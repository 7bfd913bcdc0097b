import { isObject } from '../../../wire/index.ts'

/**
 * Reads a dotted path such as `filter.items.0.name`; `$` and `.` are the whole. What is not there is undefined. Only own
 * properties count, so that no path leads into a prototype.
 */
export function readPath(data: unknown, path: string): unknown {
  let value = data
  for (const part of splitPath(path)) {
    if (Array.isArray(value)) value = /^\d{1,9}$/.test(part) ? value[Number(part)] : undefined
    else if (isObject(value) && Object.hasOwn(value, part)) value = value[part]
    else return undefined
  }
  return value
}

/** Writes to a dotted path, making the objects on its way; whatever else stood on the way is replaced. */
export function writePath(into: Record<string, unknown>, path: string, value: unknown): void {
  const parts = splitPath(path)
  const last = parts.pop()
  if (last === undefined) return
  let place = into
  for (const part of parts) {
    const found = Object.hasOwn(place, part) ? place[part] : undefined
    const next = isObject(found) ? found : {}
    if (next !== found) setOwn(place, part, next)
    place = next
  }
  setOwn(place, last, value)
}

/** A copy in which the path is not set. */
export function omitPath(data: Record<string, unknown>, path: string): Record<string, unknown> {
  const [first, ...others] = splitPath(path)
  if (first === undefined || !Object.hasOwn(data, first)) return data
  const inner = data[first]
  const rest = Object.fromEntries(Object.entries(data).filter(([key]) => key !== first))
  if (others.length === 0 || !isObject(inner)) return others.length === 0 ? rest : data
  return { ...rest, [first]: omitPath(inner, others.join('.')) }
}

export function splitPath(path: string): string[] {
  const parts = path.split('.').filter((part) => part !== '')
  return parts[0] === '$' ? parts.slice(1) : parts
}

// A plain assignment to `__proto__` would change the object's prototype instead of making a property.
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

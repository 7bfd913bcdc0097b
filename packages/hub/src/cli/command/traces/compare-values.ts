export interface ValueDifference {
  /** For example `content[0].text`. */
  readonly path: string
  /** Undefined where there is none. */
  readonly before: unknown
  readonly after: unknown
}

export interface CompareOptions {
  /** Passes over what changes with every call: ids and times, by the names of fields and by the look of values. */
  readonly ignoresVolatile: boolean
}

const maxDifferences = 1000

/** Where two JSON values differ. */
export function compareValues(before: unknown, after: unknown, options: CompareOptions): ValueDifference[] {
  const found: ValueDifference[] = []
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (found.length >= maxDifferences || Object.is(one, other)) return
    if (isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        if (options.ignoresVolatile && !Array.isArray(one) && isVolatileName(key)) continue
        compare(Array.isArray(one) ? `${path}[${key}]` : joinPath(path, key), field(one, key), field(other, key))
      }
      return
    }
    if (options.ignoresVolatile && blank(one) === blank(other)) return
    found.push({ path, before: one, after: other })
  }
  compare('', before, after)
  return found
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[]

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

// A field that a value inherits is none of its own.
function field(container: Container, key: string): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined
}

function joinPath(path: string, key: string): string {
  const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key)
  return path === '' ? name : `${path}.${name}`
}

const volatileWords = new Set(['id', 'ids', 'uuid', 'etag', 'timestamp', 'time', 'date', 'at', 'nonce'])

/** By the last word of a name: `createdAt` and `request_id` are, `format` and `grid` are not. */
function isVolatileName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return volatileWords.has(words.at(-1) ?? '')
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const instant = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g

/** Text without the ids and times in it. */
function blank(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(uuid, '<id>').replaceAll(instant, '<time>') : value
}

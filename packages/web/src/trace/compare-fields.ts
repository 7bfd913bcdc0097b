export interface FieldDifference {
  /** For example `content[0].text`; empty for the value itself. */
  readonly path: string
  /** Undefined where there is none. */
  readonly before: unknown
  readonly after: unknown
}

const maxDifferences = 200

/** Where two JSON values differ, field by field. */
export function compareFields(before: unknown, after: unknown): FieldDifference[] {
  const found: FieldDifference[] = []
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (found.length >= maxDifferences || Object.is(one, other)) return
    if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
      found.push({ path, before: one, after: other })
      return
    }
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const step = Array.isArray(one) ? `[${key}]` : path === '' ? key : `.${key}`
      compare(path + step, fieldOf(one, key), fieldOf(other, key))
    }
  }
  compare('', before, after)
  return found
}

type Container = Readonly<Record<string, unknown>>

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function fieldOf(container: Container, key: string): unknown {
  return Object.hasOwn(container, key) ? container[key] : undefined
}

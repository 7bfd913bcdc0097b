import type { FieldDifference } from '@herma/contract'
import { canonicalJson, findLosses, isObject, type Descriptor } from '../../wire/index.ts'
import { diffText } from './diff-text.ts'
import { pinnedPart } from './hash-descriptor.ts'

const maxDifferences = 500
const maxTextLength = 500
const maxJsonLength = 2000
/** Shorter texts are read faster whole. */
const minHunkedLength = 120

/** What changed of the pinned part of a tool, field by field, sorted by path. At most 500 differences are told. */
export function diffDescriptor(before: Descriptor, after: Descriptor): FieldDifference[] {
  const [left, right] = [pinnedPart(before), pinnedPart(after)]
  const differences = diffValues(left, right)
  const told = new Set(differences.map(({ path }) => path))
  const written = diffTexts(left, right).filter(({ path }) => !told.has(path))
  return [...differences, ...written].slice(0, maxDifferences)
}

/** What differs only as it is written: numbers that JavaScript cannot hold, and what a repeated key hides. */
function diffTexts(left: Descriptor, right: Descriptor): FieldDifference[] {
  const [before, after] = [left, right].map((descriptor) => {
    return new Map(findLosses(descriptor).map(({ path, text }) => [joinSteps(path), text]))
  }) as [Map<string, string>, Map<string, string>]
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap((path): FieldDifference[] => {
    const [old, now] = [before.get(path), after.get(path)]
    if (old === now) return []
    if (old === undefined) return [{ path, kind: 'added', after: shorten(now) }]
    return [now === undefined ? { path, kind: 'removed', before: shorten(old) } : changed(path, old, now)]
  })
}

const changed = (path: string, before: string, after: string): FieldDifference => {
  return { path, kind: 'changed', before: shorten(before), after: shorten(after) }
}

/** The same for any two JSON values. */
export function diffValues(before: unknown, after: unknown, limit = maxDifferences): FieldDifference[] {
  const differences: FieldDifference[] = []
  compare('', before, after)
  return differences

  function compare(path: string, left: unknown, right: unknown): void {
    if (left === right || differences.length >= limit) return
    if (isObject(left) && isObject(right)) return compareFields(path, left, right)
    if (Array.isArray(left) && Array.isArray(right)) return compareLists(path, left, right)
    add({ path, kind: 'changed', before: shorten(left), after: shorten(right), ...hunksOf(left, right) })
  }

  function compareFields(path: string, left: Record<string, unknown>, right: Record<string, unknown>): void {
    for (const key of [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()) {
      const inner = joinPath(path, key)
      if (!Object.hasOwn(left, key)) add({ path: inner, kind: 'added', after: shorten(right[key]) })
      else if (!Object.hasOwn(right, key)) add({ path: inner, kind: 'removed', before: shorten(left[key]) })
      else compare(inner, left[key], right[key])
    }
  }

  function compareLists(path: string, left: readonly unknown[], right: readonly unknown[]): void {
    // Lists of names and values, such as required and enum, are read as a whole.
    if ([...left, ...right].every(isScalar)) {
      if (canonicalJson(left) === canonicalJson(right)) return
      return add({ path, kind: 'changed', before: shorten(left), after: shorten(right) })
    }
    for (let index = 0; index < Math.max(left.length, right.length); index++) {
      const inner = `${path}[${index}]`
      if (index >= left.length) add({ path: inner, kind: 'added', after: shorten(right[index]) })
      else if (index >= right.length) add({ path: inner, kind: 'removed', before: shorten(left[index]) })
      else compare(inner, left[index], right[index])
    }
  }

  function add(difference: FieldDifference): void {
    if (differences.length < limit) differences.push(difference)
  }
}

/** `a.b`, or `a["b c"]` where a dot would mislead. */
export function joinPath(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** The same for a whole path. */
export function joinSteps(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : joinPath(path, step)),
    '',
  )
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function hunksOf(before: unknown, after: unknown): Pick<FieldDifference, 'hunks'> {
  if (typeof before !== 'string' || typeof after !== 'string') return {}
  return Math.max(before.length, after.length) < minHunkedLength ? {} : { hunks: diffText(before, after) }
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value
  if (isScalar(value)) return value
  const text = canonicalJson(value)
  return text.length > maxJsonLength ? `${text.slice(0, maxJsonLength)}…` : value
}

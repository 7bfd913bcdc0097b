import { isObject } from '@herma/framework/wire'
import { listElements, listMembers } from './json-places.ts'
import { sourceOf } from './json-text.ts'

/** JSON with sorted keys and no space: equal values give equal text, in whatever order a server wrote them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJson(entry)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = value as Record<string, unknown>
  let text = ''
  for (const key of Object.keys(fields).sort()) {
    if (fields[key] === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(fields[key])}`
  }
  return `{${text}}`
}

/** The same, with what parsing lost behind it: a number beyond 2^53 that became another one is not the same. */
export function canonicalText(value: unknown): string {
  const losses = findLosses(value).map(({ path, text }) => `${JSON.stringify(path)} ${text}`)
  return [canonicalJson(value), ...losses.toSorted()].join('\n')
}

/** Something in the text of an object that its value does not say. */
export interface Loss {
  readonly path: readonly (string | number)[]
  /** A number as it was written, or a value that a later one of the same key hides. */
  readonly text: string
  readonly isHidden: boolean
}

/** What is lost of an object that was read: numbers that JavaScript cannot hold, and all but the last of equal keys. */
export function findLosses(value: unknown): Loss[] {
  const from = sourceOf(value)
  if (from === undefined || !isObject(value)) return []
  const { text, start, value: was } = from
  // Most servers write as JavaScript does, and then nothing is lost.
  if (text.startsWith(JSON.stringify(was), start)) return []
  const losses: Loss[] = []
  // A member that was replaced has nothing to do with the text any more.
  for (const { key, ...place } of membersOf(text, start))
    if (value[key] === was[key] && value[key] !== undefined) collect(text, { ...place, path: [key] }, losses)
  return losses
}

/** What lies deeper counts as it is written. */
const maxDepth = 64

interface Place {
  readonly start: number
  readonly end: number
  readonly isHidden?: boolean
  readonly path: readonly (string | number)[]
}

function collect(text: string, { start, end, isHidden, path }: Place, losses: Loss[]): void {
  const first = text[start]!
  if (isHidden === true || path.length > maxDepth)
    losses.push({ path, text: text.slice(start, end), isHidden: isHidden === true })
  else if (first === '{')
    for (const { key, ...place } of membersOf(text, start)) collect(text, { ...place, path: [...path, key] }, losses)
  else if (first === '[')
    for (const [index, place] of listElements(text, start).entries())
      collect(text, { ...place, path: [...path, index] }, losses)
  else if (/[-\d]/.test(first)) {
    const written = text.slice(start, end)
    if (toDecimal(written) !== toDecimal(JSON.stringify(Number(written))))
      losses.push({ path, text: written, isHidden: false })
  }
}

function membersOf(text: string, start: number) {
  const members = listMembers(text, start) ?? []
  const last = new Map(members.map(({ key }, index) => [key, index]))
  return members.map(({ key, start: at, end }, index) => ({ key, start: at, end, isHidden: last.get(key) !== index }))
}

/** A number in one spelling: `1.0`, `1e0` and `10E-1` are the same. */
function toDecimal(written: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(written) ?? []
  // Infinity is written as null.
  if (whole === undefined) return written
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

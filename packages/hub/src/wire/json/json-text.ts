import { isObject } from '@herma/framework/wire'
import {
  closingBrace,
  colon,
  comma,
  endOfString,
  endOfValue,
  listElements,
  listMembers,
  quoteByte,
  skipSpace,
  toKey,
} from './json-places.ts'

/**
 * JSON that passes through keeps its text. `JSON.parse` and `JSON.stringify` in a row change integers beyond 2^53, `1.0`,
 * `1E400` and repeated keys. So an object that was read here remembers the text that it was read from, and so does every
 * copy that spreading makes of it: `writeJson` compares such a copy with the original, replaces what differs at its place
 * in the text, and copies the rest. That is why nobody may change such an object in place.
 */

type Json = Record<string, unknown>

export interface Source {
  readonly text: string
  /** Where the object begins in the text. */
  readonly start: number
  /** Where it ends, when that is known. */
  readonly end?: number | undefined
  /** The object as it was read. */
  readonly value: Json
}

const source = Symbol('source')

interface Sourced extends Json {
  [source]?: Source
}

/** A value whose text is known and must not be written in another way, such as an id beyond 2^53. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** Parses JSON. An object, or each object of a list, remembers its text. Throws what `JSON.parse` throws. */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value))
    for (const [index, { start }] of listElements(text).entries()) mark(value[index], text, start)
  else mark(value, text, skipSpace(text, 0), text.endsWith('}') ? text.length : undefined)
  return value
}

/** Lets the objects directly inside of one that was read remember their text too, so that they can go separate ways. */
export function markMembers(value: unknown, path: readonly string[] = []): void {
  forMembers(value, path, mark)
}

/**
 * The same without a mark on the objects, for values that are checked key by key before they pass. Only they themselves
 * are known then, no copies of them.
 */
export function rememberMembers(value: unknown, path: readonly string[] = []): void {
  forMembers(value, path, (member, text, start) => {
    if (isObject(member)) remembered.set(member, { text, start, end: undefined, value: member })
  })
}

const remembered = new WeakMap<object, Source>()

function forMembers(
  value: unknown,
  path: readonly string[],
  take: (member: unknown, text: string, start: number) => void,
): void {
  const from = sourceOf(value)
  const place = from === undefined ? undefined : placeAt(from, path)
  if (from === undefined || place === undefined) return
  let inner: unknown = from.value
  for (const key of path) inner = isObject(inner) ? inner[key] : undefined
  if (!isObject(inner)) return
  for (const { key, start } of listMembers(from.text, place.start) ?? []) take(inner[key], from.text, start)
}

/** The same for the objects of a list directly inside of one that was read. */
export function markElements(value: unknown, key: string): void {
  const from = sourceOf(value)
  const place = from === undefined ? undefined : placeAt(from, [key])
  const list = from?.value[key]
  if (from === undefined || place === undefined || !Array.isArray(list)) return
  for (const [index, { start, end }] of listElements(from.text, place.start).entries())
    mark(list[index], from.text, start, end)
}

/** The text of an object exactly as it was read, repeated keys and all; of any other value what `writeJson` makes. */
export function textOf(value: unknown): string {
  const from = sourceOf(value)
  if (from === undefined || from.value !== value) return writeJson(value)
  return from.text.slice(from.start, from.end ?? endOfValue(from.text, from.start))
}

/** Lets a part that was put together anew remember the text of the whole that it is taken from. */
export function keepText<Part extends object>(part: Part, whole: object): Part {
  const from = sourceOf(whole)
  return from === undefined ? part : { ...part, [source]: from }
}

/** The text of a value inside of an object that was read; undefined when it is not there, or when nobody knows. */
export function textAt(value: unknown, path: readonly string[]): string | undefined {
  const from = sourceOf(value)
  const place = from === undefined ? undefined : placeAt(from, path)
  return place === undefined
    ? undefined
    : from!.text.slice(place.start, place.end ?? endOfValue(from!.text, place.start))
}

function placeAt(from: Source, path: readonly string[]): Pick<Source, 'start' | 'end'> | undefined {
  let place: Pick<Source, 'start' | 'end'> | undefined = from
  for (const key of path) {
    place = listMembers(from.text, place.start)?.findLast((member) => member.key === key)
    if (place === undefined) return undefined
  }
  return place
}

/** The whole text that a message was read from; undefined when it is made here, or was one of several. */
export function wholeText(value: unknown): string | undefined {
  const from = sourceOf(value)
  return from === undefined || from.start !== 0 || from.value !== value ? undefined : from.text
}

/** Serialises a value and copies from the text that it was read from whatever is still the same. */
export function writeJson(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((each) => writeValue(each, 0)).join(',')}]` : writeValue(value, 0)
}

/** What is read lies near the root of what is written. Further down `JSON.stringify` is faster. */
const maxDepth = 4

function writeValue(value: unknown, depth: number): string {
  if (value instanceof RawJson) return value.text
  if (!isObject(value) || depth > maxDepth) return JSON.stringify(value)
  const from = sourceOf(value)
  if (from !== undefined) return new Rewriting(from.text, from.start).run(value, from.value)
  let members = ''
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${writeValue(value[key], depth + 1)}`
  }
  return `{${members}}`
}

/**
 * What the hub itself reads of a message. Of two equal keys the last one counts here, and a server may think otherwise:
 * so that it cannot be told another name than the rules were asked about, the others are dropped. All other repeated
 * keys pass.
 */
const readByHub: ReadonlySet<string> = new Set(
  (
    'jsonrpc id method params result error name uri arguments ref _meta cursor level taskId task ' +
    'requestState inputResponses notifications progressToken requestId traceparent'
  ).split(' '),
)

/** From this many members on, repeated keys are looked up in a set. */
const manyMembers = 32

/** Writes one changed object from the text of the original. */
class Rewriting {
  readonly #text: string
  #out = ''
  /** Up to here the text is copied or replaced. */
  #done: number

  constructor(text: string, start: number) {
    this.#text = text
    this.#done = start
  }

  run(value: Json, was: Json): string {
    const end = this.#object(this.#done, value, was)
    return this.#out + this.#text.slice(this.#done, end)
  }

  #replace(start: number, end: number, by: string): void {
    this.#out += this.#text.slice(this.#done, start) + by
    this.#done = end
  }

  /** Goes through the members of the object at `start`, and returns where it ends. */
  #object(start: number, value: Json, was: Json): number {
    const { length } = this.#out
    const done = this.#done
    const end = this.#inOrder(start, value, was)
    if (end >= 0) return end
    this.#out = this.#out.slice(0, length)
    this.#done = done
    return this.#inAnyOrder(start, value, was)
  }

  /** The usual case: the text has the keys of the original one by one. Then none is there twice. Else returns -1. */
  #inOrder(start: number, value: Json, was: Json): number {
    const text = this.#text
    const keys = Object.keys(was)
    let kept = 0
    let previousEnd = -1
    let at = skipSpace(text, start + 1)
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!
      const keyEnd = at + key.length + 2
      if (
        text.charCodeAt(at) !== quoteByte ||
        text.charCodeAt(keyEnd - 1) !== quoteByte ||
        !text.startsWith(key, at + 1)
      )
        return -1
      const colonAt = skipSpace(text, keyEnd)
      // A key with escapes may look like the beginning of another.
      if (text.charCodeAt(colonAt) !== colon) return -1
      const now = value[key]
      const valueEnd = this.#member(skipSpace(text, colonAt + 1), now, was[key])
      let next = skipSpace(text, valueEnd)
      const isLast = text.charCodeAt(next) !== comma
      if (isLast !== (index === keys.length - 1)) return -1
      if (!isLast) next = skipSpace(text, next + 1)
      if (now !== undefined) kept++
      else if (kept > 0) this.#replace(previousEnd, valueEnd, '')
      else this.#replace(at, isLast ? valueEnd : next, '')
      previousEnd = valueEnd
      at = next
    }
    if (text.charCodeAt(at) !== closingBrace) return -1
    if (Object.keys(value).length > kept) this.#append(value, new Set(keys), { kept, previousEnd, at })
    return at + 1
  }

  #append(value: Json, known: ReadonlySet<string>, end: { kept: number; previousEnd: number; at: number }): void {
    const added = this.#added(value, known, end.kept > 0)
    const place = end.previousEnd < 0 ? end.at : Math.max(end.previousEnd, this.#done)
    if (added !== '') this.#replace(place, place, added)
  }

  /** Keys that are repeated, written with escapes, or numbers, which an object sorts. */
  #inAnyOrder(start: number, value: Json, was: Json): number {
    const text = this.#text
    const outBefore = this.#out
    const doneBefore = this.#done
    const keys: string[] = []
    let lookup: Set<string> | null = null
    let kept = 0
    let repeated = 0
    let previousEnd = -1
    let at = skipSpace(text, start + 1)
    while (text.charCodeAt(at) === quoteByte) {
      const keyEnd = endOfString(text, at)
      const key = toKey(text, at, keyEnd)
      const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
      if (lookup === null ? keys.includes(key) : lookup.has(key)) {
        if (readByHub.has(key) || value[key] !== was[key]) {
          this.#out = outBefore
          this.#done = doneBefore
          return this.#rebuild(start, value, was)
        }
        repeated++
      } else keys.push(key)
      if (lookup !== null) lookup.add(key)
      else if (keys.length > manyMembers) lookup = new Set(keys)
      const valueEnd = this.#member(valueStart, value[key], was[key])
      let next = skipSpace(text, valueEnd)
      const isLast = text.charCodeAt(next) !== comma
      if (!isLast) next = skipSpace(text, next + 1)
      if (value[key] !== undefined) kept++
      else if (kept > 0) this.#replace(previousEnd, valueEnd, '')
      else this.#replace(at, isLast ? valueEnd : next, '')
      previousEnd = valueEnd
      at = next
      if (isLast) break
    }
    if (Object.keys(value).length > kept - repeated)
      this.#append(value, lookup ?? new Set(keys), { kept, previousEnd, at })
    return at + 1
  }

  #member(start: number, value: unknown, was: unknown): number {
    if (value === was || value === undefined) return endOfValue(this.#text, start)
    // A copy that knows its text is from elsewhere, unless it is from here.
    if (isObject(value) && isObject(was) && !(value instanceof RawJson) && isFromHere(value, was))
      return this.#object(start, value, was)
    const end = endOfValue(this.#text, start)
    this.#replace(start, end, writeValue(value, 0))
    return end
  }

  #added(value: Json, known: ReadonlySet<string>, hasMembers: boolean): string {
    let text = ''
    for (const key of Object.keys(value)) {
      if (known.has(key) || value[key] === undefined) continue
      text += `${hasMembers || text !== '' ? ',' : ''}${JSON.stringify(key)}:${writeValue(value[key], 0)}`
    }
    return text
  }

  /** For an object with repeated keys of which only the last may stay. */
  #rebuild(start: number, value: Json, was: Json): number {
    const members = listMembers(this.#text, start)!
    const last = new Map(members.map(({ key }, index) => [key, index]))
    const texts = members.flatMap(({ key, keyStart, start: at, end }, index) => {
      const isSame = value[key] === was[key]
      if (value[key] === undefined || (last.get(key) !== index && (!isSame || readByHub.has(key)))) return []
      if (isSame) return this.#text.slice(keyStart, end)
      return `${JSON.stringify(key)}:${new Rewriting(this.#text, at).#whole(value[key], was[key], end)}`
    })
    const added = this.#added(value, new Set(last.keys()), texts.length > 0)
    const end = endOfValue(this.#text, start)
    this.#replace(start, end, `{${texts.join(',')}${added}}`)
    return end
  }

  #whole(value: unknown, was: unknown, end: number): string {
    this.#member(this.#done, value, was)
    return this.#out + this.#text.slice(this.#done, end)
  }
}

function isFromHere(value: Json, was: Json): boolean {
  const from = sourceOf(value)
  return from === undefined || from.value === was
}

/** Between the tokens of JSON, the only place where a line break may stand, a space does as well. */
export function toOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replaceAll(/[\r\n]/g, ' ') : json
}

/** The text that an object was read from, also when it is a changed copy by now; undefined when nobody knows. */
export function sourceOf(value: unknown): Source | undefined {
  return isObject(value) ? ((value as Sourced)[source] ?? remembered.get(value)) : undefined
}

function mark(value: unknown, text: string, start: number, end?: number): void {
  if (isObject(value)) (value as Sourced)[source] = { text, start, end, value }
}

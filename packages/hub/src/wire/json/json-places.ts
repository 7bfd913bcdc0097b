/**
 * Where things stand in the text of JSON, without parsing it. Nothing here is recursive, so that a depth does no harm, and
 * nothing throws: what is broken is told by whoever parses it.
 */

/** From where to where a value reaches in a text. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
}

/** A member of an object: its key, where that stands, and from where to where its value reaches. */
export interface MemberPlace extends JsonSpan {
  readonly key: string
  readonly keyStart: number
}

/** The members of the object that begins at `start`. Null when there is none, or when the text is broken. */
export function listMembers(text: string, start: number): MemberPlace[] | null {
  if (text.charCodeAt(start) !== brace) return null
  const members: MemberPlace[] = []
  let at = skipSpace(text, start + 1)
  while (text.charCodeAt(at) === quoteByte) {
    const keyStart = at
    const keyEnd = endOfString(text, at)
    const colonAt = skipSpace(text, keyEnd)
    if (text.charCodeAt(colonAt) !== colon) return null
    const valueStart = skipSpace(text, colonAt + 1)
    const end = endOfValue(text, valueStart)
    const key = end > valueStart ? toKey(text, keyStart, keyEnd) : null
    if (key === null) return null
    members.push({ key, keyStart, start: valueStart, end })
    at = skipSpace(text, end)
    if (text.charCodeAt(at) !== comma) break
    at = skipSpace(text, at + 1)
  }
  return text.charCodeAt(at) === closingBrace ? members : null
}

/** The elements of the list at `start`; without one, of the list that a text consists of. */
export function listElements(text: string, start = skipSpace(text, 0)): JsonSpan[] {
  const elements: JsonSpan[] = []
  let at = skipSpace(text, start + 1)
  while (at < text.length && text.charCodeAt(at) !== closingBracket) {
    const end = endOfValue(text, at)
    elements.push({ start: at, end })
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1)
    else break
  }
  return elements
}

/** The first key that an object of the value at `start` has twice; null when none has. */
export function findRepeatedKey(text: string, start: number): string | null {
  const open: (Set<string> | null)[] = []
  const end = endOfValue(text, start)
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === brace) open.push(new Set())
    else if (code === bracket) open.push(null)
    else if (code === closingBrace || code === closingBracket) open.pop()
    else if (code === quoteByte) {
      const stringEnd = endOfString(text, at)
      const keys = open.at(-1)
      if (keys != null && text.charCodeAt(skipSpace(text, stringEnd)) === colon) {
        const key = toKey(text, at, stringEnd) ?? ''
        if (keys.has(key)) return key
        keys.add(key)
      }
      at = stringEnd - 1
    }
  }
  return null
}

export const quoteByte = 0x22
const backslash = 0x5c
export const comma = 0x2c
export const colon = 0x3a
const bracket = 0x5b
const closingBracket = 0x5d
const brace = 0x7b
export const closingBrace = 0x7d

export function toKey(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end - 1)
  if (!key.includes('\\')) return key
  try {
    return JSON.parse(text.slice(start, end)) as string
  } catch {
    // In a text that was not parsed yet; whoever parses it says what is wrong.
    return key
  }
}

export function skipSpace(text: string, at: number): number {
  for (let next = at; ; next++) {
    const code = text.charCodeAt(next)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return next
  }
}

/** The place behind the closing quote of the string at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before--
  return (at - before) % 2 === 0
}

export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === quoteByte) return endOfString(text, start)
  if (first !== brace && first !== bracket) return endOfScalar(text, start)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quoteByte) at = endOfString(text, at) - 1
    else if (code === brace || code === bracket) depth++
    else if ((code === closingBrace || code === closingBracket) && --depth === 0) return at + 1
  }
  return text.length
}

function endOfScalar(text: string, start: number): number {
  let at = start
  while (at < text.length && isScalar(text.charCodeAt(at))) at++
  return at
}

// Digits, letters, points and signs.
function isScalar(code: number): boolean {
  return code > 0x20 && code !== comma && code !== closingBrace && code !== closingBracket && code !== colon
}

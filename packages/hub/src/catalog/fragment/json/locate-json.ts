import type { JsonPath } from './json-path.ts'

export interface JsonPlace {
  /** Of the key, or of the value itself when it has none. */
  readonly keyOffset: number
  readonly valueOffset: number
}

/**
 * Finds the value at a path of valid JSON, or the nearest one around it, in one pass that keeps nothing: a tree of all
 * positions takes twenty times as long to build as the values themselves.
 */
export function locateJson(text: string, path: JsonPath): JsonPlace {
  const start = skipSpace(text, 0)
  let place: JsonPlace = { keyOffset: start, valueOffset: start }
  for (const part of path) {
    const next = findEntry(text, place.valueOffset, part)
    if (next === undefined) break
    place = next
  }
  return place
}

/** Line and column of an offset, both from 1, as editors count. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  for (let at = 0; at < offset; at++) {
    const code = text.charCodeAt(at)
    const isBreak = code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)
    if (isBreak) [line, lineStart] = [line + 1, at + 1]
  }
  return { line, column: offset - lineStart + 1 }
}

/** The number of keys in valid JSON, those given twice included. */
export function countKeys(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfText(text, at) - 1
    else if (character === ':') count++
  }
  return count
}

function findEntry(text: string, container: number, part: string | number): JsonPlace | undefined {
  const opening = text[container]
  if (opening !== '{' && opening !== '[') return undefined
  let at = skipSpace(text, container + 1)
  for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index++) {
    const keyOffset = at
    let key: string | number = index
    if (opening === '{') {
      const end = endOfText(text, at)
      key = JSON.parse(text.slice(at, end)) as string
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    if (key === part) return { keyOffset, valueOffset: at }
    at = skipSpace(text, endOfValue(text, at))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return undefined
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfText(text, start)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfText(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      // A plain value ends where its container does.
      if (depth < 0) return at
      if (depth === 0) return at + 1
    } else if (character === ',' && depth === 0) return at
  }
  return text.length
}

/** The offset behind the closing quote. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text[before] === '\\') before--
    if ((at - before) % 2 === 1) return at + 1
  }
  return text.length
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

import type { FileNote } from '@herma/contract'
import { isNestedTooDeep, jsonProblem, maxNesting } from '../../../wire/index.ts'
import { formatPath, type JsonPath } from './json-path.ts'
import { inspectJson } from './inspect-json.ts'
import { countKeys, lineAndColumn, locateJson } from './locate-json.ts'

/** Larger than any file that people write; a file is parsed while others wait. */
export const maxFileBytes = 4 * 1024 * 1024

/** Every entry can be wrong in several ways, and each of them is put into words. */
const maxEntries = 250_000

/** A parsed file that still knows where its values are. */
export interface JsonDocument {
  readonly value: unknown
  /** A note at a value; at the nearest value around it when the path leads nowhere. */
  note(path: JsonPath, message: string, at?: 'key' | 'value'): FileNote
}

export type ParsedFile = { readonly document: JsonDocument } | { readonly errors: readonly FileNote[] }

/** Reads strict JSON: comments, trailing commas and keys given twice are errors with their place. */
export function parseJsonFile(bytes: Buffer): ParsedFile {
  if (bytes.length > maxFileBytes) return failed(`It is larger than ${maxFileBytes / 1024 / 1024} MiB. Split it.`)
  if (isNestedTooDeep(bytes)) return failed(`It is nested deeper than ${maxNesting} levels.`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return failed('It is not UTF-8 text. Save it in that encoding.')
  }
  if (text.trim() === '') return failed('It is empty. The least that a file has is {}.')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const faults = findFaults(text)
    return faults.length > 0 ? { errors: faults } : failed(`It is not JSON: ${jsonProblem(error)}.`)
  }
  const counts = countEntries(value)
  if (counts.all > maxEntries) return failed(`It has more than ${maxEntries} entries. Split it.`)
  const errors = counts.hasProto || counts.keys !== countKeys(text) ? findFaults(text) : []
  return errors.length > 0 ? { errors } : { document: createDocument(text, value) }
}

function createDocument(text: string, value: unknown): JsonDocument {
  return {
    value,
    note(path, message, at = 'value') {
      const { keyOffset, valueOffset } = locateJson(text, path)
      return { ...lineAndColumn(text, at === 'key' ? keyOffset : valueOffset), path: formatPath(path), message }
    },
  }
}

/** A key that is given twice hides its first value; `__proto__` is dropped by everything that copies objects. */
function countEntries(value: unknown): { all: number; keys: number; hasProto: boolean } {
  const counts = { all: 0, keys: 0, hasProto: false }
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const entry = pending.pop()
    if (typeof entry !== 'object' || entry === null) continue
    const entries: unknown[] = Array.isArray(entry) ? entry : Object.values(entry)
    counts.all += entries.length
    if (!Array.isArray(entry)) counts.keys += entries.length
    counts.hasProto ||= Object.hasOwn(entry, '__proto__')
    for (const each of entries) if (typeof each === 'object') pending.push(each)
  }
  return counts
}

function findFaults(text: string): FileNote[] {
  return inspectJson(text).map(({ offset, path, message, firstOffset }) => {
    const first = firstOffset === undefined ? '' : ` The first is in line ${lineAndColumn(text, firstOffset).line}.`
    return { ...lineAndColumn(text, offset), path: formatPath(path), message: message + first }
  })
}

function failed(message: string): ParsedFile {
  return { errors: [{ line: null, column: null, path: '', message }] }
}

import { readEntry, type ShapedEntry } from '../../catalog/index.ts'
import type { Subject } from './permission.ts'

/** A tool or prompt as rules of access see it. */
export function subjectOf(entry: ShapedEntry): Subject {
  return {
    connector: entry.source.name,
    original: entry.original,
    annotations: () => (readEntry(entry) as { annotations?: unknown }).annotations,
  }
}

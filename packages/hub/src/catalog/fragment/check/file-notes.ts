import type { FileNote } from '@herma/contract'
import type { FragmentProblem } from './explain-issue.ts'
import type { JsonDocument } from '../json/parse-json-file.ts'

/** More notes about one file help nobody, and finding a line takes a look through the file. */
export const maxNotes = 50

/** Says where in a file problems are, in the order of its lines. */
export function noteProblems(document: JsonDocument, problems: readonly FragmentProblem[]): FileNote[] {
  const notes = problems.slice(0, maxNotes).map(({ path, message, at }) => document.note(path, message, at))
  const more = problems.length - notes.length
  const rest = { line: null, column: null, path: '', message: `There are ${more} more.` }
  return more > 0 ? [...sortNotes(notes), rest] : sortNotes(notes)
}

/** Sorts notes by line; those that have none come last. */
export function sortNotes(notes: readonly FileNote[]): FileNote[] {
  const last = Number.MAX_SAFE_INTEGER
  return notes.toSorted((a, b) => (a.line ?? last) - (b.line ?? last) || (a.column ?? last) - (b.column ?? last))
}

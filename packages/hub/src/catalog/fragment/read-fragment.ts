import { CatalogFragment, type FileNote } from '@herma/contract'
import type { z } from 'zod'
import { type AdaptedDocument, adaptStelae, isStelaeDocument } from './stelae/adapt-stelae.ts'
import { checkFragment } from './check/check-fragment.ts'
import { explainIssue, type FragmentProblem } from './check/explain-issue.ts'
import { noteProblems } from './check/file-notes.ts'
import { fillPlaceholders, type FragmentFolders } from './fill-placeholders.ts'
import { type JsonPath, valueAt } from './json/json-path.ts'
import type { JsonDocument } from './json/parse-json-file.ts'

export interface ReadFragment {
  /** Null when there are errors: a file takes part as a whole or not at all. */
  readonly fragment: CatalogFragment | null
  readonly errors: FileNote[]
  readonly differences: FileNote[]
  /** A note at a path of the fragment, shown where people wrote it. */
  note(path: JsonPath, message: string): FileNote
}

/** Reads a parsed file as a fragment. A document in Stelae's format is adapted, and every difference is reported. */
export function readFragment(document: JsonDocument, folders: FragmentFolders): ReadFragment {
  const isStelae = isStelaeDocument(document.value)
  const adapted = isStelae ? adaptStelae(document.value) : asWritten(document.value)
  const placeholders = fillPlaceholders(adapted.value, folders)
  const relaxed = isStelae ? relax(adapted.value) : []
  const parsed = CatalogFragment.safeParse(adapted.value)
  const invalid = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => explainIssue(issue, CatalogFragment, adapted.value))
  const found = parsed.success ? checkFragment(parsed.data, folders.stateHome) : []
  const tolerated = isStelae ? found.filter(({ isTolerable }) => isTolerable) : []

  const errors = [...placeholders.errors, ...invalid, ...found.filter((problem) => !tolerated.includes(problem))]
  const differences = [...placeholders.differences, ...relaxed, ...tolerated]
  const asFound = (problem: FragmentProblem): FragmentProblem => ({ ...problem, path: adapted.originOf(problem.path) })
  return {
    fragment: parsed.success && errors.length === 0 ? parsed.data : null,
    errors: noteProblems(document, errors.map(asFound)),
    differences: noteProblems(document, [...adapted.differences, ...differences.map(asFound)]),
    note: (path, message) => document.note(adapted.originOf(path), message),
  }
}

function asWritten(value: unknown): AdaptedDocument {
  return { value, differences: [], originOf: (path) => path }
}

/** Takes out of Stelae's document, in place, what Herma does not know and what is beyond its limits. */
function relax(value: unknown): FragmentProblem[] {
  const differences: FragmentProblem[] = []
  // A key that is gone or a number that fits is not found again, so this ends.
  for (;;) {
    const parsed = CatalogFragment.safeParse(value)
    const found = parsed.success ? [] : parsed.error.issues.flatMap((issue) => relaxIssue(issue, value))
    if (found.length === 0) return differences
    differences.push(...found)
  }
}

function relaxIssue(issue: z.core.$ZodIssue, root: unknown): FragmentProblem[] {
  const path = issue.path as JsonPath
  if (issue.code === 'unrecognized_keys') {
    const problems = explainIssue(issue, CatalogFragment, root)
    const owner = valueAt(root, path) as Record<string, unknown>
    for (const key of issue.keys) delete owner[key]
    return problems.map((problem) => ({ ...problem, message: `${problem.message} It is left out.` }))
  }
  if (issue.code !== 'too_big' || (issue.origin !== 'number' && issue.origin !== 'int')) return []
  const owner = valueAt(root, path.slice(0, -1)) as Record<string | number, unknown>
  const limit = Number(issue.maximum)
  owner[path.at(-1) as string | number] = limit
  return [{ path, message: `It is taken as ${limit}, the largest that Herma allows.`, at: 'value' }]
}

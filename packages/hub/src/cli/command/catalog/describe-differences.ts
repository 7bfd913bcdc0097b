import type { FieldDifference } from '@herma/contract'

import { makeVisible } from '../../../catalog/pin/index.ts'
import type { Terminal } from '../../terminal.ts'

const longestLine = 100

/** Field by field, what was there after `-` and what is there after `+`. Characters that do not show are escaped. */
export function describeDifferences(differences: readonly FieldDifference[], terminal: Terminal): string {
  return differences.map((difference) => describeDifference(difference, terminal)).join('\n')
}

function describeDifference(difference: FieldDifference, terminal: Terminal): string {
  const { path, kind, before, after, hunks } = difference
  const head = terminal.style('bold', `${makeVisible(path) || '(the whole)'} (${kind})`)
  const parts =
    hunks !== undefined && hunks.length > 0
      ? hunks.flatMap((hunk) => [
          terminal.style('dim', `  line ${hunk.line}`),
          ...removedLines(hunk.before, terminal),
          ...addedLines(hunk.after, terminal),
        ])
      : [
          ...(kind === 'added' ? [] : removedLines(before, terminal)),
          ...(kind === 'removed' ? [] : addedLines(after, terminal)),
        ]
  return [head, ...parts].join('\n')
}

/** Lines that were there. */
function removedLines(value: unknown, terminal: Terminal): string[] {
  return linesOf(value).map((line) => terminal.style('red', `  - ${line}`))
}

/** Lines that are there now. */
export function addedLines(value: unknown, terminal: Terminal): string[] {
  return linesOf(value).map((line) => terminal.style('green', `  + ${line}`))
}

function linesOf(value: unknown): string[] {
  if (value === '') return []
  const text = typeof value === 'string' ? value : toJson(value)
  return text.split('\n').map(makeVisible)
}

function toJson(value: unknown): string {
  const line = JSON.stringify(value) ?? 'nothing'
  return line.length <= longestLine ? line : JSON.stringify(value, null, 2)
}

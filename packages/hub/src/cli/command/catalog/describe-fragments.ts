import type { FileNote, FragmentView } from '@herma/contract'

import { oneLine } from '../../clean-text.ts'
import { count } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import type { Terminal } from '../../terminal.ts'

/** The files in the order in which they are merged, then what is to be said about them, with line and column. */
export function describeFragments(fragments: readonly FragmentView[], terminal: Terminal): string {
  const rows = fragments.map(({ file, kind, name, isEnabled, errors }) => [
    file,
    kind,
    isEnabled ? 'in use' : `not used: ${count(errors.length, 'error')}`,
    name,
  ])
  const table = formatTable([['FILE', 'KIND', 'STATE', 'NAME'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const notes = fragments.flatMap(({ file, errors, differences }) => [
    ...errors.map((note) => terminal.style('red', describeNote(file, 'error', note))),
    ...differences.map((note) => terminal.style('yellow', describeNote(file, 'note', note))),
  ])
  return [terminal.style('bold', head), ...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n')
}

function describeNote(file: string, kind: 'error' | 'note', { line, column, path, message }: FileNote): string {
  const place = [file, line, column].filter((part) => part !== null).join(':')
  return oneLine(`${place}: ${kind}: ${path === '' ? '' : `${path}: `}${message}`)
}

import type { SessionTest } from '@herma/contract'

import { cleanText } from '../../clean-text.ts'
import { formatTable } from '../../format-table.ts'
import type { Terminal } from '../../terminal.ts'

/** The stages of a test with their time, then what to do about those that failed. */
export function formatStages({ stages }: SessionTest, terminal: Terminal): string {
  const rows = stages.map(({ name, ok, ms, detail }) => [ok ? '✓' : '✗', name, `${Math.round(ms)} ms`, detail])
  const lines = formatTable(rows, terminal.columns)
    .split('\n')
    .map((line, index) => (stages[index]?.ok === false ? terminal.style('red', line) : line))
  const fixes = stages.flatMap(({ name, ok, detail, fix }) =>
    ok ? [] : ['', `${name}: ${cleanText(detail)}`, ...(fix === null ? [] : [`Fix: ${cleanText(fix)}`])],
  )
  return [...lines, ...fixes].join('\n')
}

import type { TestReport } from '@herma/contract'

import { cleanText } from './clean-text.ts'
import { formatTable } from './format-table.ts'
import type { Terminal } from './terminal.ts'

const signs = { ok: '✓', failed: '✗', skipped: '-' } as const

/** Stages with their time, then the cause and the suggested fix. */
export function formatTestReport(report: TestReport, terminal: Terminal): string {
  const table = formatTable(
    report.stages.map(({ name, outcome, ms, detail }) => [signs[outcome], name, `${Math.round(ms)} ms`, detail]),
    terminal.columns,
  )
  const stages = table.split('\n').map((line, index) => {
    const outcome = report.stages[index]?.outcome
    return outcome === 'failed'
      ? terminal.style('red', line)
      : outcome === 'skipped'
        ? terminal.style('dim', line)
        : line
  })
  const stderr = report.ok ? [] : report.stderr.slice(-10).map((line) => `  ${cleanText(line)}`)
  return [
    ...stages,
    ...(report.cause === null ? [] : ['', `Cause: ${cleanText(report.cause)}`]),
    ...(report.fix === null ? [] : [`Fix:   ${cleanText(report.fix)}`]),
    ...(stderr.length === 0 ? [] : ['', 'It wrote to standard error:', ...stderr]),
  ].join('\n')
}

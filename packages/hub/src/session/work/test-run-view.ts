import type { TestRun } from '@herma/contract'
import type { TestReport } from '../../workspace/index.ts'

/** A report as callers get it. */
export function toTestRun(report: TestReport): TestRun {
  const { ok, reason, framework, command, because, counts, failures, output, truncated } = report
  return {
    ok,
    reason,
    framework,
    command,
    because,
    counts: { ...counts },
    failures: failures.map(({ name, file = null, line = null, message }) => ({ name, file, line, message })),
    duration_ms: report.durationMs,
    exit_code: report.exitCode,
    timed_out: report.timedOut,
    output,
    truncated,
  }
}

const maxShownFailures = 20
const maxShownOutput = 4000

/** The same in words. */
export function renderTestRun({ ok, reason, framework, counts, failures, output }: TestRun): string {
  const { total, passed, failed, skipped } = counts
  const head = `${framework}: ${passed} of ${total} passed, ${failed} failed, ${skipped} skipped`
  const lines = failures.slice(0, maxShownFailures).map(({ name, file, line, message }) => {
    const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`
    return `- ${name}${place}: ${message}`
  })
  // Where failures speak for themselves the output only repeats them.
  const rest = ok || lines.length > 0 ? '' : output.slice(-maxShownOutput)
  return [head, reason ?? '', ...lines, rest].filter((part) => part !== '').join('\n')
}

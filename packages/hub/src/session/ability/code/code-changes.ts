import type { CodeChanges } from '@herma/contract'
import type { WorkResult } from '../../work/types.ts'

/** What work at code came to, for those who asked for it. */
export function toCodeChanges(work: WorkResult): CodeChanges {
  const { text, changes, diff, committed, usage, costUsd, whyNotCommitted } = work
  const note = whyNotCommitted === null ? '' : `\n\nNothing was written: ${whyNotCommitted}.`
  return {
    summary: text + note,
    changes: changes.map(({ path, kind }) => ({ path, kind })),
    diff: diff ?? '',
    committed,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      total_tokens: usage.totalTokens,
      cost_usd: costUsd,
    },
  }
}

export function renderCodeChanges({ summary, changes, diff }: CodeChanges): string {
  const files = changes.map(({ path, kind }) => `${kind} ${path}`)
  return [summary, files.join('\n'), diff].filter((part) => part !== '').join('\n\n')
}

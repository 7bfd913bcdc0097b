import type { PinReview } from '@herma/contract'

import { makeVisible } from '../../../catalog/pin/index.ts'
import { formatFields } from '../../format-table.ts'
import type { Terminal } from '../../terminal.ts'
import { addedLines, describeDifferences } from './describe-differences.ts'
import { describeFindings } from './describe-findings.ts'
import { describePinState } from './pins.ts'

/** What a person needs to decide about a tool, with the difference to what was approved. */
export function describeReview(review: PinReview, terminal: Terminal): string {
  const { findings } = review
  const facts: [string, string][] = [
    ['Tool', makeVisible(review.tool)],
    ['Server', review.connector],
    ['State', describePinState(review)],
    ['Approved', review.approvedAt === null ? 'never' : `${review.approvedAt} as ${review.approvedHash}`],
    ['Seen', `${review.seenAt} as ${review.hash}`],
  ]
  return [
    formatFields(facts),
    '',
    describeContent(review, terminal),
    ...(findings.length === 0 ? [] : ['', describeFindings(findings, terminal)]),
  ].join('\n')
}

function describeContent({ reason, approved, current, differences }: PinReview, terminal: Terminal): string {
  if (reason === null) return 'It is as it was approved.'
  if (current === null) return 'What it looks like is not stored any more. Approve it only if you trust its server.'
  if (approved !== null && differences.length > 0) return describeDifferences(differences, terminal)
  return Object.entries(current)
    .flatMap(([field, value]) => [terminal.style('bold', makeVisible(field)), ...addedLines(value, terminal)])
    .join('\n')
}

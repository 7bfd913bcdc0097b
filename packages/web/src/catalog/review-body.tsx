import type { PinReview } from '@herma/contract'
import { Failure, Loading } from '../ui/page-state.tsx'
import { JsonBox } from '../ui/json-box.tsx'
import { DifferenceList, FindingList } from './difference-list.tsx'
import type { Reviewing } from './use-review.ts'

/** Everything that a person needs to decide about a tool that is new or changed. */
export function ReviewBody({ reviewing }: { reviewing: Reviewing }) {
  const { review, error, hasMoved, renew } = reviewing
  if (error !== null) return <Failure title="Cannot show what changed." error={error} onRetry={renew} />
  if (review === null) return <Loading what="what changed" />
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {hasMoved && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2">
          It changed while you looked, so it was not approved. This is how it is now.
        </p>
      )}
      {review.findings.length > 0 && <FindingList findings={review.findings} />}
      <What review={review} />
      <p className="text-sm text-ink-3">
        Reviewed as <code className="font-mono">{review.hash.slice(0, 12)}</code>
      </p>
    </div>
  )
}

function What({ review }: { review: PinReview }) {
  const { differences, current, approved } = review
  if (differences.length > 0) return <DifferenceList differences={differences} />
  if (approved !== null) return <p className="text-ink-2">It is as it was approved.</p>
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <p className="text-sm text-ink-2">A new tool. This is all that its server says of it:</p>
      <JsonBox value={current} label="the tool" />
    </div>
  )
}

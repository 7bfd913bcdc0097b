import type { PinReview } from '@herma/contract'
import { useCallback, useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { announce } from '../../ui/overlay/toasts.tsx'
import { Failure, Loading } from '../../ui/page/page-state.tsx'
import { groupByServer } from '../arrange-tools.ts'
import { DifferenceList, FindingList } from '../difference-list.tsx'
import { useReview, type Reviewing, type ToolPlace } from './use-review.ts'

interface ApproveDialogProps {
  readonly places: readonly ToolPlace[]
  readonly onClose: () => void
}

/** Shows several tools one below the other; what was shown is what is approved. */
export function ApproveDialog({ places, onClose }: ApproveDialogProps) {
  const mayApprove = useMay('admin')
  const [reviews, setReviews] = useState<ReadonlyMap<string, Reviewing>>(new Map())
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const note = useCallback((key: string, reviewing: Reviewing) => {
    setReviews((last) => (last.get(key)?.review === reviewing.review ? last : new Map(last).set(key, reviewing)))
  }, [])
  const ready = [...reviews.values()].flatMap(({ review }): Reviewed[] => (review === null ? [] : [review]))
  async function approve() {
    setPending(true)
    setError(null)
    try {
      await approveTools(ready)
      announce(`${count(ready.length, 'tool')} approved.`)
      onClose()
    } catch (problem) {
      const isMoved = [...reviews.values()].map(({ refuse }) => refuse(problem)).some(Boolean)
      if (!isMoved) setError(problem)
    } finally {
      setPending(false)
      await queryClient.invalidateQueries({ queryKey: ['catalog'] })
    }
  }
  return (
    <Dialog
      isOpen
      shape="drawer"
      title={`Review ${count(places.length, 'tool')}`}
      hint="What you see here is what you approve. If one changes meanwhile, nothing is approved."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {mayApprove && (
            <Button variant="primary" pending={isPending} onClick={() => void approve()}>
              Approve {count(ready.length, 'tool')} as shown
            </Button>
          )}
        </>
      }
    >
      <ul className="divide-y divide-line">
        {places.map((place) => (
          <ReviewItem key={`${place.connector}/${place.tool}`} place={place} onReview={note} />
        ))}
      </ul>
      {error !== null && (
        <div className="p-4">
          <Failure title="Nothing was approved." error={error} />
        </div>
      )}
    </Dialog>
  )
}

function ReviewItem({ place, onReview }: { place: ToolPlace; onReview: (key: string, reviewing: Reviewing) => void }) {
  const reviewing = useReview(place)
  const key = `${place.connector}/${place.tool}`
  useEffect(() => onReview(key, reviewing), [key, reviewing, onReview])
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <h3 className="font-mono text-base font-medium [overflow-wrap:anywhere]">{key}</h3>
      <ReviewBody reviewing={reviewing} />
    </li>
  )
}

/** A tool as a person saw it. */
type Reviewed = Pick<PinReview, 'connector' | 'tool' | 'hash'>

/** Approves tools as they were seen. Throws PIN_MOVED when one is something else by now; of its server none is approved. */
async function approveTools(reviewed: readonly Reviewed[]): Promise<void> {
  for (const [server, tools] of groupByServer(reviewed)) {
    await api.approvePins({ server, body: { tools: tools.map(({ tool, hash }) => ({ tool, hash })) } })
  }
}

/** Everything that a person needs to decide about a tool that is new or changed. */
function ReviewBody({ reviewing }: { reviewing: Reviewing }) {
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

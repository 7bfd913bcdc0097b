import { useCallback, useEffect, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { useMay } from '../api/me.ts'
import { Failure } from '../ui/page-state.tsx'
import { announce } from '../ui/toasts.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { count } from '../ui/format.ts'
import { approveTools, type Reviewed } from './approve-tools.ts'
import { ReviewBody } from './review-body.tsx'
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

import type { PinReview } from '@herma/contract'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'

export interface ToolPlace {
  readonly connector: string
  readonly tool: string
}

export interface Reviewing {
  /** What the person looks at; it stays as it is until it is asked for anew. */
  readonly review: PinReview | null
  readonly error: unknown
  /** True once it turned out to be something else than the person had seen. */
  readonly hasMoved: boolean
  readonly renew: () => void
  /** Looks again when a tool of the approval had changed; false when it was refused for another reason. */
  readonly refuse: (error: unknown) => boolean
}

/** Holds a tool as it was when a person began to look, so that an approval is for what they saw. */
export function useReview({ connector, tool }: ToolPlace): Reviewing {
  const [state, setState] = useState<Pick<Reviewing, 'review' | 'error' | 'hasMoved'>>(nothing)
  const renew = useCallback(() => {
    api.reviewPin({ server: connector, tool }).then(
      (review) => setState((last) => ({ review, error: null, hasMoved: isOther(last.review, review) })),
      (error: unknown) => setState((last) => ({ ...last, error })),
    )
  }, [connector, tool])
  useEffect(renew, [renew])
  const refuse = useCallback(
    (error: unknown) => {
      const isMoved = error instanceof ApiProblem && error.code === 'PIN_MOVED'
      if (isMoved) renew()
      return isMoved
    },
    [renew],
  )
  return useMemo(() => ({ ...state, renew, refuse }), [state, renew, refuse])
}

const nothing = { review: null, error: null, hasMoved: false }

function isOther(seen: PinReview | null, review: PinReview): boolean {
  return seen !== null && seen.hash !== review.hash
}

import { CloudOff, TriangleAlert } from 'lucide-react'
import { HubAway } from '../api/problem.ts'
import { useStatus } from '../api/queries.ts'

/** What concerns every page: the hub is away, or its database. What was known before stays on the page. */
export function HubNotice() {
  const { error, data } = useStatus()
  if (error instanceof HubAway)
    return (
      <div role="alert" className="flex items-start gap-2 border-b border-line bg-bad-soft px-3 py-2 sm:px-6">
        <CloudOff className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
        <p>
          <span className="font-medium text-bad">The hub does not answer.</span> What you see is what it said last; this
          page tries again every few seconds. If it does not come back, start it:{' '}
          <code className="font-mono text-sm">npm start</code>
        </p>
      </div>
    )
  if (data !== undefined && !data.store.healthy)
    return (
      <div role="alert" className="flex items-start gap-2 border-b border-line bg-warn-soft px-3 py-2 sm:px-6">
        <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
        <p>
          <span className="font-medium text-warn">The database does not answer.</span> Calls go on; changes are refused
          until it is back.
        </p>
      </div>
    )
  return null
}

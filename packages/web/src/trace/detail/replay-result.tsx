import type { ReplayReport } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { buttonStyle } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatMs } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { compareFields } from '../compare-fields.ts'
import { FieldChanges } from '../field-changes.tsx'

/** How a call went that was sent again, and what differs from then. */
export function ReplayResult({ report, traceId }: { report: ReplayReport; traceId: string }) {
  const { recorded, ms, isError, error } = report
  const then = recorded.result ?? recorded.error
  const now = report.result ?? error
  const differences = then === undefined || then === null ? null : compareFields(then, now)
  return (
    <Card title="Replayed" className="m-4 shadow-none">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
        <output className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusDot tone={isError ? 'bad' : 'ok'}>
            {isError ? (error?.message ?? 'The tool reports a failure') : 'Answered'} in {formatMs(ms)}
            {recorded.ms !== null && `; ${formatMs(recorded.ms)} the first time`}
          </StatusDot>
        </output>
        <div className="flex flex-wrap gap-2">
          <Link to="/traces" search={keep({ trace: report.traceId })} className={buttonStyle({ size: 'sm' })}>
            Open the new trace
          </Link>
          <Link
            to="/traces"
            search={keep({ trace: traceId, compare: report.traceId })}
            className={buttonStyle({ size: 'sm' })}
          >
            Compare both
          </Link>
        </div>
        {differences !== null && (
          <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
            <h3 className="text-sm font-medium">
              {differences.length === 0 ? 'The answer is the same as then.' : 'What differs from then'}
            </h3>
            {differences.length > 0 && <FieldChanges differences={differences} what="the answer" />}
          </section>
        )}
        <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <h3 className="text-sm font-medium">The answer now</h3>
          <JsonBox value={now} label="the answer" />
        </section>
      </div>
    </Card>
  )
}

/** Goes there with the filter as it is. */
function keep(part: { trace: string; compare?: string }) {
  return (last: object) => ({ ...last, compare: undefined, ...part })
}

import type { PolicyTrialReport } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { count, formatTime } from '../ui/format.ts'
import { StatusDot } from '../ui/status-dot.tsx'

/** Which recorded calls would have ended otherwise. */
export function TrialReport({ report }: { report: PolicyTrialReport }) {
  const { calls, newlyRefused, newlyAllowed, undecided, unknown, changes } = report
  return (
    <output className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p>
        Of {count(calls, 'recorded call')}, {newlyRefused} would be refused and {newlyAllowed} would be allowed that
        ended otherwise.
      </p>
      {undecided > 0 && (
        <p className="text-sm text-ink-2">
          {count(undecided, 'call')} cannot be judged: arguments were not recorded. Raise what is recorded under
          Retention.
        </p>
      )}
      {unknown > 0 && <p className="text-sm text-ink-2">{count(unknown, 'call')} came from somebody who is gone.</p>}
      {changes.length > 0 && (
        <ul
          className="max-h-72 divide-y divide-line overflow-y-auto rounded-md border border-line"
          aria-label="Calls that change"
        >
          {changes.map(({ at, traceId, principal, server, target, after }, index) => (
            <li key={index} className="grid gap-0.5 px-3 py-2 text-sm">
              <StatusDot tone={after.allowed ? 'ok' : 'bad'}>
                <span className="font-mono">{target}</span> by {principal} on {server}
              </StatusDot>
              <span className="text-ink-3">
                {formatTime(at)} · {after.why}{' '}
                {traceId !== null && (
                  <Link to="/traces" search={{ trace: traceId }} className="underline">
                    Trace
                  </Link>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </output>
  )
}

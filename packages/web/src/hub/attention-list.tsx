import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { connectorsQuery, fragmentsQuery, keysQuery, pinsQuery, sessionsQuery, useStatus } from '../api/queries.ts'
import { Button, buttonStyle } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { findAttention } from './find-attention.ts'

const shownAtFirst = 5

/** What needs a person, the worst first. All is well in one line. */
export function AttentionList() {
  const [isWhole, setWhole] = useState(false)
  const all = useAttention()
  const shown = isWhole ? all : all.slice(0, shownAtFirst)
  if (all.length === 0)
    return (
      <div className="rounded-lg border border-line bg-surface px-4 py-3">
        <StatusDot tone="ok">Nothing needs you.</StatusDot>
      </div>
    )
  return (
    <Card title={`Needs you (${all.length})`}>
      <ul>
        {shown.map(({ id, tone, subject, text, action, to, search, hash }) => (
          <li
            key={id}
            className="flex flex-wrap items-start gap-x-3 gap-y-1 border-t border-line px-4 py-2.5 first:border-t-0 sm:flex-nowrap"
          >
            <div className="min-w-0 flex-1 basis-60">
              <StatusDot tone={tone}>
                <span className="font-medium text-ink">{subject}</span>
                <span className="block">{text}</span>
              </StatusDot>
            </div>
            <Link
              to={to}
              {...(search !== undefined && { search })}
              {...(hash !== undefined && { hash })}
              className={buttonStyle({ size: 'sm' })}
            >
              {action}
              <span className="sr-only"> {subject}</span>
            </Link>
          </li>
        ))}
      </ul>
      {all.length > shown.length && (
        <div className="border-t border-line px-4 py-2">
          <Button size="sm" variant="ghost" onClick={() => setWhole(true)}>
            Show {all.length - shown.length} more
          </Button>
        </div>
      )}
    </Card>
  )
}

function useAttention() {
  const { data: status } = useStatus()
  const { data: connectors } = useQuery(connectorsQuery)
  const { data: sessions } = useQuery(sessionsQuery)
  const { data: pins } = useQuery(pinsQuery)
  const { data: fragments } = useQuery(fragmentsQuery)
  const { data: keys } = useQuery(keysQuery)
  return findAttention({ status, connectors, sessions, pins, fragments, keys })
}

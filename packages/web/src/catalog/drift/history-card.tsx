import type { CatalogHistory } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../ui/card.tsx'
import { formatTime } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { historyQuery } from '../catalog-queries.ts'

const shownFirst = 6

/** How the catalog was before. */
export function HistoryCard() {
  return (
    <Card title="History" hint="When the catalog became another one, and what was found when it was compared.">
      <Loaded query={useQuery(historyQuery)} what="the history">
        {(history) => {
          const moments = joinMoments(history)
          if (moments.length === 0) return <p className="p-4 text-ink-2">Nothing was compared so far.</p>
          return (
            <>
              <Moments moments={moments.slice(0, shownFirst)} />
              {moments.length > shownFirst && (
                <details className="border-t border-line">
                  <summary className="px-4 py-2 text-sm text-ink-2">{moments.length - shownFirst} earlier ones</summary>
                  <Moments moments={moments.slice(shownFirst)} />
                </details>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface Moment {
  readonly at: string
  tone: Tone
  verdict: string
  parts: string[]
}

/** What was noted within a second belongs together: both catalogs, and how they differed. */
function joinMoments({ snapshots, drift }: CatalogHistory): Moment[] {
  const moments = new Map<string, Moment>()
  const momentOf = (at: string): Moment => {
    const key = at.slice(0, 19)
    const moment = moments.get(key) ?? { at, tone: 'off', verdict: 'Changed', parts: [] }
    moments.set(key, moment)
    return moment
  }
  for (const { at, kind, tools } of snapshots) momentOf(at).parts.push(`${tools.toLocaleString()} ${kind}`)
  for (const { at, hasDrift, counts } of drift) {
    const moment = momentOf(at)
    moment.tone = hasDrift ? 'warn' : 'ok'
    moment.verdict = hasDrift ? 'Drift' : 'No drift'
    if (hasDrift) moment.parts.push(`${counts.missing} missing, ${counts.extra} extra, ${counts.changed} changed`)
  }
  return [...moments.values()].toSorted((a, b) => b.at.localeCompare(a.at))
}

function Moments({ moments }: { moments: readonly Moment[] }) {
  return (
    <ul className="divide-y divide-line text-sm">
      {moments.map(({ at, tone, verdict, parts }) => (
        <li key={at} className="flex flex-wrap gap-x-4 px-4 py-2">
          <span className="tnum w-32 text-ink-3">{formatTime(at)}</span>
          <span className="w-28">
            <StatusDot tone={tone}>{verdict}</StatusDot>
          </span>
          <span className="tnum text-ink-2">{parts.toSorted().join(', ')}</span>
        </li>
      ))}
    </ul>
  )
}

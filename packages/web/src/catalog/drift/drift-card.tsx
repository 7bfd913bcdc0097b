import type { DriftReport } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { count, formatAgo } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { driftQuery } from '../catalog-queries.ts'
import { DifferenceList } from '../difference-list.tsx'

/** What configuration and approvals want against what clients really get. */
export function DriftCard() {
  const query = useQuery(driftQuery)
  return (
    <Card
      title="Intended and live"
      hint={
        query.data === undefined ? 'What you want against what clients get.' : `Compared ${formatAgo(query.data.at)}.`
      }
      actions={
        <Button size="sm" pending={query.isFetching} onClick={() => void query.refetch()}>
          Compare now
        </Button>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        <Loaded query={query} what="the comparison">
          {(report) => <Report report={report} />}
        </Loaded>
      </div>
    </Card>
  )
}

function Report({ report }: { report: DriftReport }) {
  const { hasDrift, intended, live, counts, missing, extra, changed } = report
  if (!hasDrift) return <StatusDot tone="ok">Clients get just what is intended: {count(live.tools, 'tool')}.</StatusDot>
  return (
    <>
      <StatusDot tone="warn">
        {count(intended.tools, 'tool')} intended, {live.tools.toLocaleString()} live: {counts.missing} missing,{' '}
        {counts.extra} extra, {counts.changed} changed.
      </StatusDot>
      <Names title="Missing: intended, but clients do not get them" sign="−" names={missing} />
      <Names title="Extra: clients get them, but nobody wants them" sign="+" names={extra} />
      {changed.map(({ name, fields }) => (
        <div key={name} className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <h3 className="font-mono text-sm font-medium">{name}</h3>
          <DifferenceList differences={fields} />
        </div>
      ))}
    </>
  )
}

function Names({ title, sign, names }: { title: string; sign: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <div>
      <h3 className="text-sm font-medium">{title}</h3>
      <ul className="mt-1 font-mono text-sm text-ink-2">
        {names.map((name) => (
          <li key={name} className="[overflow-wrap:anywhere]">
            <span aria-hidden>{sign} </span>
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

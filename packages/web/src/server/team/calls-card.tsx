import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { formatMs } from '../../ui/format.ts'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { callsQuery } from './team-query.ts'

/** What a team works on, and what waits. */
export function CallsCard({ team }: { team: string }) {
  const calls = useQuery(callsQuery(team))
  return (
    <Card title="Calls" hint="Under way and waiting, as they happen.">
      <Loaded query={calls} what="the calls">
        {(all) =>
          all.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">Nothing is under way, and nothing waits.</p>
          ) : (
            <Rows label="Calls">
              {all.map(({ id, tool, state, session, before, principal, traceId, ageMs }) => (
                <Row
                  key={id}
                  title={
                    <Link to="/traces" search={{ trace: traceId }} className="font-mono text-sm hover:underline">
                      {tool}
                    </Link>
                  }
                  badges={<Badge tone={state === 'running' ? 'accent' : 'warn'}>{state}</Badge>}
                  detail={`${session === null ? `${before ?? 0} before it` : session}, asked by ${principal}, since ${formatMs(ageMs)}`}
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  )
}

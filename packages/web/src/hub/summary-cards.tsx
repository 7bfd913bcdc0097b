import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bindingsQuery, connectorsQuery, serversQuery, sessionsQuery } from '../api/queries.ts'
import { buttonStyle } from '../ui/button.tsx'
import { count, formatAgo } from '../ui/format.ts'

interface SummaryProps {
  readonly title: string
  readonly hint: string
  readonly number: number | undefined
  readonly facts: string
  readonly to: '/connectors' | '/bindings' | '/servers'
  readonly action: string
}

/** The three places where a hub is set up, with how much is in each. */
export function SummaryCards() {
  const { data: connectors } = useQuery(connectorsQuery)
  const { data: servers } = useQuery(serversQuery)
  const { data: sessions } = useQuery(sessionsQuery)
  const { data: bindings } = useQuery(bindingsQuery)
  const ready = connectors?.filter(({ health }) => health.state === 'ready').length ?? 0
  const tested = connectors
    ?.flatMap(({ lastTest }) => lastTest?.at ?? [])
    .sort()
    .at(-1)
  const teams = servers?.filter(({ kind }) => kind === 'team').length ?? 0
  const handshake = servers
    ?.flatMap(({ lastHandshake }) => lastHandshake ?? [])
    .sort()
    .at(-1)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-[repeat(3,minmax(0,1fr))]">
      <Summary
        title="Connectors"
        hint="The MCP servers that this hub calls."
        number={connectors?.length}
        facts={`${ready} ready. Last tested ${formatAgo(tested)}.`}
        to="/connectors"
        action="Manage connectors"
      />
      <Summary
        title="Session bindings"
        hint="Connectors that sessions may use, each in its own way."
        number={bindings?.length}
        facts={`Over ${count(sessions?.length ?? 0, 'session')}.`}
        to="/bindings"
        action="Manage bindings"
      />
      <Summary
        title="Servers"
        hint="What clients connect to: the catalog, teams, sessions and your own."
        number={servers?.length}
        facts={`${count(teams, 'team')}. Last client ${formatAgo(handshake)}.`}
        to="/servers"
        action="Manage servers"
      />
    </div>
  )
}

function Summary({ title, hint, number, facts, to, action }: SummaryProps) {
  return (
    <section className="grid grid-rows-[auto_1fr_auto] gap-3 rounded-lg border border-line bg-surface p-4 shadow-card">
      <div className="flex items-baseline justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        <span className="tnum text-2xl font-semibold">{number ?? '–'}</span>
      </div>
      <div className="text-sm">
        <p className="text-ink-2">{hint}</p>
        <p className="text-ink-3">{facts}</p>
      </div>
      <Link to={to} className={buttonStyle({ className: 'justify-self-start' })}>
        {action}
      </Link>
    </section>
  )
}

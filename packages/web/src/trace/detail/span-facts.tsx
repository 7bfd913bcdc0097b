import type { EventView } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { ListFilter } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonStyle } from '../../ui/button.tsx'
import { formatBytes, formatMs } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { outcomes } from '../describe-event.ts'
import type { FilterName } from '../trace-filter.ts'

interface Fact {
  readonly label: string
  readonly value: ReactNode
  /** Offers to show only what is like this. */
  readonly filter?: { readonly name: FilterName; readonly value: string }
}

/** What is known of an event besides its messages. */
export function SpanFacts({ event }: { event: EventView }) {
  const { error: _, ...data } = event.data
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] items-center gap-x-3 gap-y-0.5">
        {factsOf(event).map(({ label, value, filter }) => (
          <div key={label} className="contents">
            <dt className="text-sm text-ink-3">{label}</dt>
            <dd className="flex min-h-7 min-w-0 items-center gap-1">
              <span className="min-w-0 [overflow-wrap:anywhere]">{value}</span>
              {filter !== undefined && (
                <Link
                  to="/traces"
                  search={{ [filter.name]: filter.value }}
                  aria-label={`Show all with ${label.toLowerCase()} ${filter.value}`}
                  title="Show all like this"
                  className={buttonStyle({ variant: 'ghost', size: 'icon' })}
                >
                  <ListFilter aria-hidden />
                </Link>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {Object.keys(data).length > 0 && (
        <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <h3 className="text-sm font-medium">More about it</h3>
          <JsonBox value={data} label="what else is recorded" />
        </section>
      )}
    </div>
  )
}

function factsOf(event: EventView): Fact[] {
  const { server, connector, session, thread, outcome, requestBytes, responseBytes } = event
  const plain = (label: string, name: keyof EventView & FilterName): Fact[] => {
    const value = event[name]
    if (typeof value !== 'string') return []
    return [{ label, value: <code className="font-mono text-sm">{value}</code>, filter: { name, value } }]
  }
  const linked = (label: string, name: 'server' | 'connector' | 'session', value: string | null | undefined): Fact[] =>
    value == null
      ? []
      : [{ label, value: <NameLink kind={name} name={value} server={server} />, filter: { name, value } }]
  const asked = readAsked(event)
  return [
    { label: 'Began', value: new Date(event.at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' }) },
    ...(event.ms === undefined ? [] : [{ label: 'Took', value: formatMs(event.ms) }]),
    ...(outcome === undefined
      ? []
      : [{ label: 'Outcome', value: outcomes[outcome].label, filter: { name: 'outcome' as const, value: outcome } }]),
    ...plain('Kind', 'kind'),
    ...linked('Server', 'server', server),
    ...linked('Connector', 'connector', connector),
    ...linked('Session', 'session', session),
    ...(asked.length === 0 ? [] : [{ label: 'Asked', value: <AskedMembers members={asked} /> }]),
    ...(thread === undefined ? [] : [threadFact(thread, session)]),
    ...plain('Who asked', 'principal'),
    ...plain('Method', 'method'),
    ...plain('Target', 'target'),
    ...plain('Route', 'route'),
    ...plain('Transport', 'transport'),
    ...plain('Protocol era', 'era'),
    ...(requestBytes === undefined ? [] : [{ label: 'Request', value: formatBytes(requestBytes) }]),
    ...(responseBytes === undefined ? [] : [{ label: 'Response', value: formatBytes(responseBytes) }]),
    ...(event.errorCode === undefined
      ? []
      : [{ label: 'Error code', value: <code className="font-mono text-sm">{event.errorCode}</code> }]),
  ]
}

const pages = { server: '/servers/$name', connector: '/connectors/$name', session: '/sessions/$name' } as const

const linkStyle = 'rounded-sm underline underline-offset-2'

/** Where a name leads to. Herma's own tools have no connector, and the server of a session is the session. */
function NameLink({ kind, name, server }: { kind: keyof typeof pages; name: string; server?: string | undefined }) {
  if (kind === 'connector' && name === 'herma')
    return server === undefined ? 'Herma itself' : <NameLink kind="server" name={server} />
  const session = kind === 'server' && name.startsWith('session:') ? name.slice('session:'.length) : null
  return (
    <Link to={session === null ? pages[kind] : pages.session} params={{ name: session ?? name }} className={linkStyle}>
      {name}
    </Link>
  )
}

function threadFact(thread: string, session: string | undefined): Fact {
  const id = <code className="font-mono text-sm">{thread}</code>
  const value =
    session === undefined ? (
      id
    ) : (
      <Link to="/sessions/$name" params={{ name: session }} search={{ thread }} className={linkStyle}>
        {id}
      </Link>
    )
  return { label: 'Thread', value, filter: { name: 'thread', value: thread } }
}

interface Asked {
  readonly session: string
  readonly outcome: string
}

/** The members of a team that were asked for a call, one after the other. */
function readAsked({ kind, data }: EventView): Asked[] {
  const tried: unknown = kind === 'team.routed' ? data['tried'] : undefined
  if (!Array.isArray(tried)) return []
  return tried.filter(
    (each: Partial<Asked> | null): each is Asked =>
      typeof each?.session === 'string' && typeof each.outcome === 'string',
  )
}

function AskedMembers({ members }: { members: readonly Asked[] }) {
  return members.map(({ session, outcome }, index) => (
    <span key={index}>
      {index > 0 && ', then '}
      <NameLink kind="session" name={session} /> ({outcome})
    </span>
  ))
}

import type { BindingView, ConnectorView, SessionView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMay } from '../api/me.ts'
import { connectorsQuery, bindingsQuery, sessionsQuery } from '../api/queries.ts'
import { Button, buttonStyle } from '../ui/button.tsx'
import { Input } from '../ui/form/field.tsx'
import { Empty, Loaded } from '../ui/page/page-state.tsx'
import { Page } from '../ui/page/page.tsx'
import { useMedia } from '../ui/use-media.ts'
import { BindingDrawer } from './binding-drawer.tsx'
import { BindingList } from './binding-list.tsx'
import { BindingMatrix, findBinding } from './binding-matrix.tsx'
import type { BindingSearch } from './binding-search.ts'

/** Which session may use which connector, and what is different there. */
export default function BindingsPage() {
  const sessions = useQuery(sessionsQuery)
  const connectors = useQuery(connectorsQuery)
  const bindings = useQuery(bindingsQuery)
  return (
    <Page
      title="Session bindings"
      width="wide"
      hint="Attach connectors to sessions, so that they can use the tools, with what differs for each."
    >
      <Loaded query={sessions} what="the sessions">
        {(allSessions) => (
          <Loaded query={connectors} what="the connectors">
            {(allConnectors) => (
              <Loaded query={bindings} what="the bindings">
                {(all) => <Content sessions={allSessions} connectors={allConnectors} bindings={all} />}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

interface ContentProps {
  readonly sessions: readonly SessionView[]
  readonly connectors: readonly ConnectorView[]
  readonly bindings: readonly BindingView[]
}

function Content({ sessions, connectors, bindings }: ContentProps) {
  const mayChange = useMay('admin')
  if (sessions.length > 0 && connectors.length > 0)
    return <Matrix sessions={sessions} connectors={connectors} bindings={bindings} />
  const missing = sessions.length === 0 ? 'session' : 'connector'
  return (
    <Empty
      title={`No ${missing} yet`}
      actions={
        mayChange && (
          <Link
            to={missing === 'session' ? '/sessions/new' : '/connectors/new'}
            className={buttonStyle({ variant: 'primary' })}
          >
            New {missing}
          </Link>
        )
      }
    >
      {missing === 'session'
        ? 'A session is a model with instructions and tools. Create one first, then attach connectors to it here.'
        : 'A connector leads to an MCP server. Create one first, then attach it to sessions here.'}
    </Empty>
  )
}

function Matrix({ sessions, connectors, bindings }: ContentProps) {
  const { session: openSession, connector: openConnector, text = '' } = useSearch({ from: '/bindings' })
  const navigate = useNavigate({ from: '/bindings' })
  const isWide = useMedia('(min-width: 48rem)')
  const kept: BindingSearch = text === '' ? {} : { text }
  const wanted = text.trim().toLowerCase()
  const isNamed = ({ name }: { name: string }) => name.toLowerCase().includes(wanted)
  // What matches a session or a connector: then all of the other side are of interest.
  const rows = sessions.filter(isNamed)
  const columns = connectors.filter(isNamed)
  const shownSessions = rows.length > 0 ? rows : columns.length > 0 ? sessions : []
  const shownConnectors = columns.length > 0 && rows.length === 0 ? columns : connectors
  const onOpen = (session: string, connector: string) =>
    void navigate({ search: { ...kept, session, connector }, resetScroll: false })
  const open = {
    session: sessions.find(({ name }) => name === openSession),
    connector: connectors.find(({ name }) => name === openConnector),
  }
  const Shown = isWide ? BindingMatrix : BindingList
  return (
    <>
      <div className="w-full sm:w-72">
        <Input
          data-filter
          type="search"
          aria-label="Filter sessions and connectors"
          placeholder="Filter sessions and connectors"
          value={text}
          onChange={({ target: { value } }) =>
            void navigate({ search: value === '' ? {} : { text: value }, replace: true })
          }
        />
      </div>
      {shownSessions.length === 0 ? (
        <Empty
          title="Nothing has this name"
          actions={<Button onClick={() => void navigate({ search: {}, replace: true })}>Show all</Button>}
        />
      ) : (
        <Shown sessions={shownSessions} connectors={shownConnectors} bindings={bindings} onOpen={onOpen} />
      )}
      {open.session !== undefined && open.connector !== undefined && (
        <BindingDrawer
          key={`${open.session.id} ${open.connector.id}`}
          session={open.session}
          connector={open.connector}
          binding={findBinding(bindings, open.session.name, open.connector.name)}
          onClose={() => void navigate({ search: kept, resetScroll: false, ignoreBlocker: true })}
        />
      )}
    </>
  )
}

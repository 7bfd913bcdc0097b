import type { ConnectorView, ServerView, TeamView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { connectorsQuery, serversQuery } from '../../api/queries.ts'
import { buttonStyle } from '../../ui/button.tsx'
import { Empty, Loaded, Loading } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { isOwnConnector } from '../change-server.ts'
import { teamQuery } from '../team/team-query.ts'
import { ServerEditor } from './server-editor.tsx'

const above = [{ label: 'Servers', to: '/servers' }]

/** One server: what it is, how it is, and everything that can be set about it. */
export default function ServerPage() {
  const { name } = useParams({ from: '/servers/$name' })
  const servers = useQuery(serversQuery)
  const server = servers.data?.find((each) => each.name === name)
  // Another server begins with a form of its own.
  if (server !== undefined) return <KnownServer key={name} server={server} />
  return (
    <Page title={name} above={above}>
      <Loaded query={servers} what="the server">
        {() => (
          <Empty
            title={`There is no server ${name}`}
            actions={
              <Link to="/servers" className={buttonStyle({})}>
                See all servers
              </Link>
            }
          >
            It may have been deleted or renamed.
          </Empty>
        )}
      </Loaded>
    </Page>
  )
}

/** Waits for the team and the connector that belong to it. */
function KnownServer({ server }: { server: ServerView }) {
  const isTeam = server.kind === 'team'
  const team = useQuery({ ...teamQuery(server.name), enabled: isTeam })
  const connectors = useQuery({ ...connectorsQuery, enabled: server.connector !== null })
  const awaited = isTeam ? team : connectors
  const isWaiting = (isTeam && team.data === undefined) || (server.connector !== null && connectors.data === undefined)
  if (!isWaiting)
    return (
      <ServerEditor server={server} team={isTeam ? team.data : undefined} hosted={findOwn(server, connectors.data)} />
    )
  return (
    <Page title={server.name} above={above}>
      <Loaded<TeamView | ConnectorView[]> query={awaited} what="the server">
        {() => <Loading what="the server" />}
      </Loaded>
    </Page>
  )
}

/** The connector behind a custom server, when it is of no other use. */
function findOwn(
  { connector }: ServerView,
  connectors: readonly ConnectorView[] | undefined,
): ConnectorView | undefined {
  const found = connectors?.find(({ name }) => name === connector)
  return isOwnConnector(found) ? found : undefined
}

import type { ServerView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { serversQuery } from '../../api/queries.ts'
import { Button, buttonStyle } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Input, Select } from '../../ui/form/field.tsx'
import { count } from '../../ui/format.ts'
import { Empty, Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useRowKeys } from '../../ui/page/use-row-keys.ts'
import { kindTexts } from '../describe-server.ts'
import type { ServerSearch } from '../server-search.ts'
import { serverHealthQuery } from '../servers-query.ts'
import { ServerRow } from './server-row.tsx'

/** What Herma serves: the catalog, teams, sessions, and servers that people added. */
export default function ServersPage() {
  const servers = useQuery(serversQuery)
  const mayChange = useMay('admin')
  const hint = servers.data === undefined ? undefined : summarize(servers.data)
  const actions = mayChange && (
    <Link to="/servers/new" className={buttonStyle({ variant: 'primary' })}>
      <Plus aria-hidden />
      New server
    </Link>
  )
  return (
    <Page title="Servers" hint={hint} actions={actions}>
      <Loaded query={servers} what="the servers">
        {(all) => <ServerList servers={all} />}
      </Loaded>
    </Page>
  )
}

function ServerList({ servers }: { servers: readonly ServerView[] }) {
  const { filter = '', kind } = useSearch({ from: '/servers' })
  const navigate = useNavigate({ from: '/servers' })
  const health = useQuery(serverHealthQuery).data
  const [problem, setProblem] = useState<{ title: string; error: unknown } | null>(null)
  useRowKeys()
  const words = filter.toLowerCase().split(/\s+/)
  const shown = servers
    .filter((server) => (kind === undefined || server.kind === kind) && matches(server, words))
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  const search = (part: ServerSearch) =>
    void navigate({ search: { filter: filter || undefined, kind, ...part } as ServerSearch, replace: true })
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <div className="w-full sm:w-72">
          <Input
            data-filter
            type="search"
            aria-label="Filter servers"
            placeholder="Filter by name, kind or description"
            value={filter}
            onChange={(event) => search({ filter: event.target.value })}
          />
        </div>
        <Select
          aria-label="Kind"
          className="w-36"
          value={kind ?? ''}
          onChange={(event) => search({ kind: (event.target.value || undefined) as ServerView['kind'] })}
        >
          <option value="">Every kind</option>
          {Object.entries(kindTexts).map(([id, { label }]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      {problem !== null && <Failure {...problem} />}
      {shown.length === 0 ? (
        <Empty
          title="No server matches"
          actions={<Button onClick={() => search({ filter: '', kind: undefined! })}>Show all servers</Button>}
        />
      ) : (
        <Card className="overflow-x-clip">
          <table className="w-full table-fixed text-left">
            <caption className="sr-only">Servers that clients can use</caption>
            <thead className="text-sm text-ink-3">
              <tr className="border-b border-line *:px-2 *:py-2 *:font-medium">
                <th scope="col" className="pl-4!">
                  Name
                </th>
                <th scope="col" className="hidden w-28 md:table-cell">
                  Kind
                </th>
                <th scope="col" className="hidden w-28 md:table-cell">
                  Transport
                </th>
                <th scope="col" className="hidden w-16 text-right md:table-cell">
                  Tools
                </th>
                <th scope="col" className="hidden w-32 lg:table-cell">
                  Last handshake
                </th>
                <th scope="col" className="hidden w-[22%] sm:table-cell">
                  Health
                </th>
                <th scope="col" className="w-20">
                  Enabled
                </th>
                <th scope="col" className="w-12 pr-2!">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {shown.map((server) => (
                <ServerRow key={server.name} server={server} health={health?.get(server.name)} onProblem={setProblem} />
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </>
  )
}

/** What people made comes before what is there by itself. */
const order: readonly ServerView['kind'][] = ['facade', 'team', 'custom', 'session', 'management']

function matches({ name, kind, description, connector }: ServerView, words: readonly string[]): boolean {
  const text = `${name} ${kind} ${kindTexts[kind].label} ${description} ${connector ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

function summarize(servers: readonly ServerView[]): string {
  const teams = servers.filter(({ kind }) => kind === 'team').length
  const sessions = servers.filter(({ kind }) => kind === 'session').length
  return `What your clients can connect to: ${count(servers.length, 'server')}, among them ${count(teams, 'team')} and ${count(sessions, 'session')}.`
}

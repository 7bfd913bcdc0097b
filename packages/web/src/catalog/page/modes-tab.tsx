import type { CostReport, Mode, ServerPatch, ServerView, View } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { serversQuery, viewsQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { Card } from '../../ui/card.tsx'
import { Select } from '../../ui/form/field.tsx'
import { count } from '../../ui/format.ts'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Rows } from '../../ui/rows.tsx'
import { costQuery } from '../catalog-queries.ts'

const modeTexts: Record<Mode, { name: string; text: string }> = {
  full: { name: 'Full', text: 'Every tool is listed. Simple, and best while there are few.' },
  search: {
    name: 'Search',
    text: 'Three tools that find, describe and call the others. A model reads only what it needs.',
  },
  code: { name: 'Code', text: 'One tool that runs small scripts, which call the others. Best for many steps at once.' },
}
const modes = Object.keys(modeTexts) as Mode[]

/** How servers offer the catalog, and what each way costs a model at the start. */
export function ModesTab() {
  const cost = useQuery(costQuery)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-4">
      <Loaded query={cost} what="what the tools cost">
        {(report) => <Modes cost={report} />}
      </Loaded>
      <Loaded query={useQuery(serversQuery)} what="the servers">
        {(servers) => <Servers servers={servers.filter(servesCatalog)} />}
      </Loaded>
      {cost.data !== undefined && <Costliest cost={cost.data} />}
    </div>
  )
}

/** A hosted connector, a team and a session have tools of their own. */
function servesCatalog({ kind, connector }: ServerView): boolean {
  return kind === 'facade' || (kind === 'custom' && connector === null)
}

function Modes({ cost }: { cost: CostReport }) {
  const most = Math.max(1, ...cost.modes.map(({ tokens }) => tokens))
  return (
    <ul className="grid gap-3 md:grid-cols-3">
      {modes.map((mode) => {
        const tokens = cost.modes.find((each) => each.mode === mode)?.tokens ?? 0
        return (
          <li key={mode} className="grid content-start gap-2 rounded-lg border border-line bg-surface p-4 shadow-card">
            <h2 className="text-base font-semibold">{modeTexts[mode].name}</h2>
            <p className="tnum text-lg">{tokens.toLocaleString()} tokens</p>
            <div className="h-1.5 rounded-full bg-well" aria-hidden>
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${Math.max(1, (100 * tokens) / most)}%` }}
              />
            </div>
            <p className="text-sm text-ink-2">{modeTexts[mode].text}</p>
          </li>
        )
      })}
    </ul>
  )
}

function Servers({ servers }: { servers: readonly ServerView[] }) {
  const mayChange = useMay('admin')
  const views = useQuery(viewsQuery).data ?? []
  const change = useChange({
    send: ({ name, ...patch }: ServerPatch & { name: string }) => api.updateServer({ name, body: patch }),
    topics: ['servers', 'catalog'],
    done: ({ name, mode }, { view }) =>
      view === undefined
        ? `${name} is in ${mode} mode now.`
        : `${name} shows ${view ?? 'each client its own view'} now.`,
  })
  return (
    <Card title="Servers" hint="Connected clients are told at once.">
      {change.error !== null && (
        <div className="p-4">
          <Failure title="The server was not changed." error={change.error} />
        </div>
      )}
      <Rows label="Servers that offer the catalog">
        {servers.map((server) => (
          <li key={server.name} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
            <div className="mr-auto min-w-0">
              <Link to="/servers/$name" params={{ name: server.name }} className="font-medium hover:underline">
                {server.name}
              </Link>
              <code className="block font-mono text-sm text-ink-2">{server.path}</code>
            </div>
            {mayChange ? (
              <>
                <ModeSelect server={server} onChange={(mode) => change.mutate({ name: server.name, mode })} />
                {views.length > 0 && (
                  <ViewSelect
                    server={server}
                    views={views}
                    onChange={(view) => change.mutate({ name: server.name, view })}
                  />
                )}
              </>
            ) : (
              <span className="text-sm text-ink-2">{modeTexts[server.mode].name}</span>
            )}
          </li>
        ))}
      </Rows>
    </Card>
  )
}

function ModeSelect({ server, onChange }: { server: ServerView; onChange: (mode: Mode) => void }) {
  return (
    <Select
      aria-label={`Mode of ${server.name}`}
      value={server.mode}
      onChange={(event) => onChange(event.target.value as Mode)}
    >
      {modes.map((mode) => (
        <option key={mode} value={mode}>
          {modeTexts[mode].name}
        </option>
      ))}
    </Select>
  )
}

interface ViewSelectProps {
  readonly server: ServerView
  readonly views: readonly View[]
  readonly onChange: (view: string | null) => void
}

function ViewSelect({ server, views, onChange }: ViewSelectProps) {
  return (
    <Select
      aria-label={`View of ${server.name}`}
      value={server.view ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">The view that is for them</option>
      {views.map(({ name }) => (
        <option key={name} value={name}>
          View {name}
        </option>
      ))}
    </Select>
  )
}

function Costliest({ cost }: { cost: CostReport }) {
  if (cost.costliest.length === 0) return null
  return (
    <Card
      title="Costliest tools"
      hint={`Of ${count(cost.tools, 'tool')} that clients see. Hide them or say them shorter.`}
    >
      <ul className="grid gap-x-8 p-4 sm:grid-cols-2">
        {cost.costliest.slice(0, 10).map(({ name, server, tokens }) => (
          <li key={name} className="flex min-w-0 gap-2 text-sm">
            <Link
              to="/catalog"
              search={{ text: name }}
              className="min-h-6 truncate font-mono leading-6 hover:underline"
              title={server}
            >
              {name}
            </Link>
            <span className="tnum ml-auto leading-6 text-ink-2">{tokens.toLocaleString()}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

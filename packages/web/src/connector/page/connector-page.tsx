import type { ConnectorView, DownstreamProcess } from '@herma/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { connectorsQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatAgo } from '../../ui/format.ts'
import { announce } from '../../ui/overlay/toasts.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ConnectorMenu } from '../connector-menu.tsx'
import { connectorQuery } from '../connectors-query.ts'
import { DeleteConnector } from '../delete-connector.tsx'
import { describeHealth } from '../describe-health.ts'
import { draftOfView } from '../form/draft/connector-draft.ts'
import { useConnectorForm } from '../form/use-connector-form.ts'
import { Touches } from '../touches.tsx'
import { ConnectorEditor } from './connector-editor.tsx'
import { LogPanel } from './log-panel.tsx'
import { NextSteps } from './next-steps.tsx'
import { OwnCredentials } from './own-credentials.tsx'
import { ToolPanel } from './tool-panel.tsx'

/** One connector: its settings, tools, logs, and the credentials of the one who looks. */
export default function ConnectorPage() {
  const { name } = useParams({ from: '/connectors/$name' })
  const query = useConnector(name)
  const [isDeleting, setDeleting] = useState(false)
  const [problem, setProblem] = useState<{ title: string; error: unknown } | null>(null)
  const navigate = useNavigate()
  const view = query.data
  return (
    <Page
      title={name}
      above={[{ label: 'Connectors', to: '/connectors' }]}
      {...(view !== undefined && {
        hint: <Summary view={view} />,
        actions: <ConnectorMenu view={view} onDelete={() => setDeleting(true)} onProblem={setProblem} isOnPage />,
      })}
    >
      {problem !== null && <Failure {...problem} />}
      <Loaded query={query} what={name}>
        {(found) => <StoredConnector key={found.id} view={found} />}
      </Loaded>
      {isDeleting && view !== undefined && (
        <DeleteConnector
          name={view.name}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: '/connectors', ignoreBlocker: true })}
        />
      )}
    </Page>
  )
}

/** What the list said of it is shown at once, and also while the hub is away. */
function useConnector(name: string) {
  const queries = useQueryClient()
  return useQuery({
    ...connectorQuery(name),
    initialData: () => queries.getQueryData(connectorsQuery.queryKey)?.find((view) => view.name === name),
    initialDataUpdatedAt: () => queries.getQueryState(connectorsQuery.queryKey)?.dataUpdatedAt,
  })
}

function Summary({ view }: { view: ConnectorView }) {
  const { tone, text } = describeHealth(view)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusDot tone={tone}>{text}</StatusDot>
      <Badge>{view.transport}</Badge>
      {view.health.serverInfo !== null && (
        <span className="text-sm">
          {view.health.serverInfo.name} {view.health.serverInfo.version}
        </span>
      )}
      <span className="text-sm text-ink-3">
        {view.lastTest === null
          ? 'Never tested'
          : `Tested ${formatAgo(view.lastTest.at)}${view.lastTest.ok ? '' : ', failed'}`}
      </span>
    </span>
  )
}

function StoredConnector({ view }: { view: ConnectorView }) {
  const { tab = 'settings', isNew } = useSearch({ from: '/connectors/$name' })
  const navigate = useNavigate({ from: '/connectors/$name' })
  const initial = useMemo(() => draftOfView(view), [view])
  const form = useConnectorForm(initial)
  const mayUse = useMay('member')
  const isPersonal = view.options.credentials === 'personal'
  const tabs = [
    { id: 'settings' as const, label: 'Settings', body: null },
    { id: 'tools' as const, label: `Tools ${view.counts.tools}`, body: <ToolPanel name={view.name} /> },
    ...(isPersonal && mayUse
      ? [{ id: 'credentials' as const, label: 'Your credentials', body: <OwnCredentials name={view.name} /> }]
      : []),
    { id: 'logs' as const, label: 'Logs', body: <LogPanel name={view.name} /> },
  ]
  return (
    <>
      <Processes processes={view.health.processes} />
      <Tabs
        label="Parts of this connector"
        tabs={tabs}
        value={tab}
        listClassName="px-0"
        onChange={(next) => void navigate({ search: next === 'settings' ? {} : { tab: next }, replace: true })}
      />
      {/* Hidden and not gone, so that what was typed is there again. */}
      <div hidden={tab !== 'settings'} className="grid grid-cols-[minmax(0,1fr)] gap-5 [&[hidden]]:hidden">
        {isNew === true && <NextSteps view={view} />}
        <Warnings warnings={view.warnings} />
        {view.touches !== null && <Touches touches={view.touches} title="What its process may touch" />}
        <ConnectorEditor
          form={form}
          stored={view}
          onSaved={({ name }) => {
            announce(`${name} is saved`)
            if (name !== view.name)
              void navigate({ to: '/connectors/$name', params: { name }, replace: true, ignoreBlocker: true })
          }}
          onCancel={() => (form.isDirty ? form.reset(initial) : void navigate({ to: '/connectors' }))}
        />
      </div>
    </>
  )
}

/** How many processes run for a server that is a command, and why there is more than one. */
function Processes({ processes }: { processes: readonly DownstreamProcess[] }) {
  if (processes.length === 0) return null
  return (
    <div className="grid gap-1 pb-3 text-sm text-ink-2">
      <p id="processes">{processes.length === 1 ? '1 process runs:' : `${processes.length} processes run:`}</p>
      <ul aria-labelledby="processes" className="grid gap-0.5">
        {processes.map(({ processId, reason }) => (
          <li key={processId}>
            <span className="tnum text-ink-3">{processId}</span> {reason}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What may let a secret be seen; a guess of the hub. */
function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <ul aria-label="Warnings" className="grid gap-1 rounded-lg bg-warn-soft p-3">
      {warnings.map((warning) => (
        <li key={warning}>
          <StatusDot tone="warn">{warning}</StatusDot>
        </li>
      ))}
    </ul>
  )
}

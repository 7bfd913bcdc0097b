import type { DiscoveryPlan, PlannedConnector } from '@herma/contract'
import type { ReactNode } from 'react'
import { Touches } from '../../connector/touches.tsx'
import { Badge } from '../../ui/badge.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

const actions: Record<PlannedConnector['action'], string> = {
  add: 'Add',
  replace: 'Replace',
  remove: 'Remove',
  keep: 'Keep',
}

/** Exactly what will be done, before it is. */
export function PlanView({ plan }: { plan: DiscoveryPlan }) {
  const { connectors, programs, files, secrets, tools, conflicts, warnings } = plan
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {conflicts.length > 0 && (
        <div role="alert" className="grid gap-1 rounded-md bg-bad-soft p-3">
          {conflicts.map((text) => (
            <StatusDot key={text} tone="bad">
              {text}
            </StatusDot>
          ))}
        </div>
      )}
      {warnings.map((text) => (
        <StatusDot key={text} tone="warn">
          {text}
        </StatusDot>
      ))}
      <Part title="Connectors">
        {connectors.map((connector) => (
          <li key={connector.name} className="grid min-w-0 gap-1 py-2">
            <span className="flex flex-wrap items-center gap-2">
              <span className="text-ink-3">{actions[connector.action]}</span>
              <span className="font-medium">{connector.name}</span>
              <Badge>{connector.transport}</Badge>
            </span>
            <code className="font-mono text-sm [overflow-wrap:anywhere]">{connector.command ?? connector.url}</code>
            <Names label="Variables" names={connector.env} />
            <Names label="Headers" names={connector.headers} />
            <Names label="Secrets" names={connector.secrets} />
            {connector.touches !== null && connector.action !== 'remove' && (
              <Touches touches={connector.touches} title={`What the process of ${connector.name} may touch`} />
            )}
            {connector.why !== '' && <span className="text-sm text-ink-2">{connector.why}</span>}
          </li>
        ))}
      </Part>
      <Part title="Programs on the machine of the hub">
        {programs.map(({ name, path, fix }) => (
          <li key={name} className="py-1">
            <StatusDot tone={path === null ? 'bad' : 'ok'}>
              <code className="font-mono text-sm">{name}</code>{' '}
              {path === null ? `is missing. ${fix ?? ''}` : `is at ${path}`}
            </StatusDot>
          </li>
        ))}
      </Part>
      <Part title="Files">
        {files.map(({ path, action, why }) => (
          <li key={path} className="py-1 text-sm [overflow-wrap:anywhere]">
            <span className="text-ink-3">{action}</span> <code className="font-mono">{path}</code> {why}
          </li>
        ))}
      </Part>
      <Part title="Secrets by name">{secrets.map(toItem)}</Part>
      <Part title="Tools that it makes">{tools.map(toItem)}</Part>
    </div>
  )
}

const toItem = (name: string) => (
  <li key={name} className="py-0.5 font-mono text-sm">
    {name}
  </li>
)

/** A part of which there is nothing is not shown. */
export function Part({ title, children }: { title: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-sm font-medium text-ink-2">{title}</h3>
      <ul className="divide-y divide-line">{children}</ul>
    </section>
  )
}

function Names({ label, names }: { label: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <span className="text-sm text-ink-2">
      {label}: <span className="font-mono">{names.join(', ')}</span>
    </span>
  )
}

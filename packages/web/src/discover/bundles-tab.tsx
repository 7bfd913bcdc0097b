import type { BundleView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useMay } from '../api/me.ts'
import { bundlesQuery } from '../api/queries.ts'
import { Badge, type BadgeTone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { formatAgo } from '../ui/format.ts'
import { Empty, Loaded } from '../ui/page/page-state.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { InstallDrawer } from './install/install-drawer.tsx'
import { Part } from './install/plan-view.tsx'
import { RemoveDrawer } from './install/remove-drawer.tsx'

const states: Record<BundleView['state'], readonly [string, BadgeTone]> = {
  available: ['not installed', 'neutral'],
  installed: ['installed', 'ok'],
  changed: ['changed since', 'warn'],
  manual: ['put there by hand', 'neutral'],
  broken: ['broken', 'bad'],
}

/** Connectors and tools that are installed and removed as one. */
export function BundlesTab() {
  const bundles = useQuery(bundlesQuery)
  const { open } = useSearch({ from: '/discover' })
  const navigate = useNavigate({ from: '/discover' })
  const [removing, setRemoving] = useState<string | null>(null)
  const show = (name?: string) =>
    void navigate({
      search: { tab: 'bundles', ...(name === undefined ? {} : { open: name }) },
      replace: true,
      resetScroll: false,
    })
  const opened = bundles.data?.find(({ name }) => name === open)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <Loaded query={bundles} what="the bundles">
        {(found) =>
          found.length === 0 ? (
            <Empty title="No bundles.">
              <p>A bundle is a folder with connectors and tools. Install one with: herma bundle install FOLDER</p>
            </Empty>
          ) : (
            found.map((bundle) => (
              <BundleCard
                key={bundle.name}
                bundle={bundle}
                onInstall={() => show(bundle.name)}
                onRemove={() => setRemoving(bundle.name)}
              />
            ))
          )
        }
      </Loaded>
      {opened !== undefined && <BundleDrawer bundle={opened} onClose={() => show()} />}
      {removing !== null && <RemoveDrawer kind="bundle" name={removing} onClose={() => setRemoving(null)} />}
    </div>
  )
}

interface BundleCardProps {
  readonly bundle: BundleView
  readonly onInstall: () => void
  readonly onRemove: () => void
}

function BundleCard({ bundle, onInstall, onRemove }: BundleCardProps) {
  const { title, description, state, problem, installedAt, isShipped, connectors, tools, programs } = bundle
  const mayChange = useMay('admin')
  const [word, tone] = states[state]
  const button =
    state === 'available' ? (
      <Button variant="primary" onClick={onInstall}>
        Install…
      </Button>
    ) : (
      <Button variant="danger" onClick={onRemove}>
        Remove…
      </Button>
    )
  return (
    <Card
      title={
        <>
          {title} <Badge tone={tone}>{word}</Badge> {isShipped && <Badge>comes with Herma</Badge>}
        </>
      }
      hint={installedAt === null ? undefined : `Installed ${formatAgo(installedAt)}`}
      actions={mayChange && state !== 'broken' ? button : undefined}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        {problem !== null && <StatusDot tone="bad">{problem}</StatusDot>}
        <p className="max-w-[80ch] text-ink-2">{description}</p>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
          <Part title="Brings these connectors">
            {connectors.map(({ name, description: text, command, url, state: each }) => (
              <li key={name} className="grid gap-0.5 py-1.5">
                <span>
                  <span className="font-medium">{name}</span>{' '}
                  {each !== 'absent' && <Badge tone={each === 'same' ? 'ok' : 'warn'}>{connectorStates[each]}</Badge>}
                </span>
                <span className="text-sm text-ink-2">{text}</span>
                <code className="font-mono text-xs text-ink-3 [overflow-wrap:anywhere]">{command ?? url}</code>
              </li>
            ))}
          </Part>
          <div className="grid content-start gap-4">
            <Part title="Makes these tools">
              {tools.map((name) => (
                <li key={name} className="py-1 font-mono text-sm">
                  {name}
                </li>
              ))}
            </Part>
            <Part title="Needs these programs">
              {programs.map(({ name, path, fix }) => (
                <li key={name} className="py-1">
                  <StatusDot tone={path === null ? 'bad' : 'ok'}>
                    {name} {path === null ? `is missing. ${fix ?? ''}` : `is at ${path}`}
                  </StatusDot>
                </li>
              ))}
            </Part>
          </div>
        </div>
      </div>
    </Card>
  )
}

const connectorStates = { same: 'here', changed: 'changed by hand', other: 'another one has this name' }

function BundleDrawer({ bundle, onClose }: { bundle: BundleView; onClose: () => void }) {
  const { name, title, description, needs } = bundle
  const source = useMemo(() => ({ kind: 'bundle' as const, name }), [name])
  return (
    <InstallDrawer title={title} source={source} needs={needs} canInstall hasName={false} program="" onClose={onClose}>
      <p className="text-ink-2">{description}</p>
    </InstallDrawer>
  )
}

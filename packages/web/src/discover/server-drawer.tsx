import type { DiscoveredServer, DiscoveryOption } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useMay } from '../api/me.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { StatusDot } from '../ui/status-dot.tsx'
import { InstallDrawer } from './install/install-drawer.tsx'
import { RemoveDrawer } from './install/remove-drawer.tsx'

/** One server of the registry: what it is, the ways to get it, and what it needs. */
export function ServerDrawer({ server, onClose }: { server: DiscoveredServer; onClose: () => void }) {
  const { registry, name, title, version, options } = server
  const [chosen, setChosen] = useState(() => (options.find(({ isInstallable }) => isInstallable) ?? options[0])?.id)
  const [removing, setRemoving] = useState<string | null>(null)
  const option = options.find(({ id }) => id === chosen)
  const source = useMemo(() => ({ kind: 'registry' as const, name, version, registry }), [name, version, registry])
  if (removing !== null)
    return (
      <RemoveDrawer
        kind="connector"
        name={removing}
        onClose={() => {
          setRemoving(null)
          onClose()
        }}
      />
    )
  return (
    <InstallDrawer
      title={title}
      hint={
        <>
          <span className="font-mono">{name}</span> {version} · from {new URL(registry).host}
        </>
      }
      source={source}
      {...(option === undefined ? {} : { option: option.id })}
      needs={option?.needs ?? noNeeds}
      canInstall={option?.isInstallable === true}
      hasName
      program={option?.runtime === 'local' ? (option.program ?? '') : null}
      onClose={onClose}
    >
      <About server={server} onRemove={setRemoving} />
      <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <legend className="mb-2 font-medium">Ways to get it</legend>
        {options.length === 0 && <p className="text-ink-2">It names no package and no address.</p>}
        {options.map((each) => (
          <Way key={each.id} option={each} isChosen={each.id === chosen} onChoose={() => setChosen(each.id)} />
        ))}
      </fieldset>
    </InstallDrawer>
  )
}

const noNeeds: DiscoveryOption['needs'] = []

function About({ server, onRemove }: { server: DiscoveredServer; onRemove: (name: string) => void }) {
  const { description, status, statusMessage, repository, website, connectors } = server
  const mayRemove = useMay('admin')
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {status !== 'active' && (
        <StatusDot tone="warn">
          The registry marks it as {status}. {statusMessage}
        </StatusDot>
      )}
      <p className="[overflow-wrap:anywhere]">{description}</p>
      <p className="text-sm text-ink-3">Anybody can publish here. Read its source before you run it.</p>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {repository !== null && <ExternalLink href={repository}>Source</ExternalLink>}
        {website !== null && <ExternalLink href={website}>Website</ExternalLink>}
      </div>
      {connectors.map((name) => (
        <div key={name} className="flex flex-wrap items-center gap-3">
          <StatusDot tone="ok">
            Added as{' '}
            <Link to="/connectors/$name" params={{ name }} className="underline">
              {name}
            </Link>
          </StatusDot>
          {mayRemove && (
            <Button size="sm" variant="danger" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
              Remove
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}

function ExternalLink({ href, children }: { href: string; children: string }) {
  // The address is a stranger's: only the web, and it learns nothing of this page.
  if (!/^https?:\/\//.test(href)) return <span className="text-ink-3">{href}</span>
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" className="underline underline-offset-2">
      {children}
      <span className="sr-only"> (opens another page)</span>
    </a>
  )
}

function Way({ option, isChosen, onChoose }: { option: DiscoveryOption; isChosen: boolean; onChoose: () => void }) {
  const { kind, runtime, title, command, url, program, isInstallable, whyNot } = option
  return (
    <label
      className={cn(
        'grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 rounded-md border border-line px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        isChosen && 'border-accent bg-accent-soft',
      )}
    >
      <input
        type="radio"
        name="way"
        checked={isChosen}
        onChange={onChoose}
        className="mt-1 self-start accent-accent outline-none"
      />
      <span className="grid min-w-0 gap-1">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium [overflow-wrap:anywhere]">{title}</span>
          <Badge>{kind}</Badge>
          <span className="text-sm text-ink-2">
            {runtime === 'local' ? `runs here${program === null ? '' : `, with ${program}`}` : 'runs elsewhere'}
          </span>
        </span>
        {(command ?? url ?? title) !== title && (
          <code className="font-mono text-sm text-ink-2 [overflow-wrap:anywhere]">{command ?? url}</code>
        )}
        {!isInstallable && whyNot !== null && <span className="text-sm text-warn">{whyNot}</span>}
      </span>
    </label>
  )
}

import type { ClientConfigView, ClientImport, ClientServerView, ImportAnswer } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { useChange } from '../api/use-change.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { cn } from '../ui/cn.ts'
import { Check } from '../ui/form/check.tsx'
import { count } from '../ui/format.ts'
import { Failure } from '../ui/page/page-state.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import type { ImportChoice } from './import-choice.tsx'

interface ClientCardProps {
  readonly client: ClientConfigView
  /** How its servers are taken over; null while something about that is wrong. */
  readonly choose: () => ImportChoice | null
}

/** One configuration file: its servers, of which new ones can be taken over. */
export function ClientCard({ client, choose }: ClientCardProps) {
  const { id, title, file, problem, servers } = client
  const mayImport = useMay('admin')
  const fresh = servers.filter(({ state }) => state === 'new').map(({ name }) => name)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const hasChecks = mayImport && fresh.length > 0
  const chosen = fresh.filter((name) => !left.has(name))
  const take = useChange({
    send: (body: ClientImport) => api.importFromClient({ body }),
    topics: ['connectors', 'catalog', 'servers', 'secrets'],
    done: ({ added }) => `Added ${count(added.length, 'connector')}.`,
  })
  const flip = (name: string) =>
    setLeft((last) => {
      const next = new Set(last)
      if (!next.delete(name)) next.add(name)
      return next
    })
  function importChosen() {
    const choice = chosen.length === 0 ? null : choose()
    if (choice !== null) take.mutate({ client: id, names: chosen, ...choice })
  }
  const button = (
    <Button variant="primary" size="sm" pending={take.isPending} onClick={importChosen}>
      {chosen.length === 0 ? 'Choose what to import' : `Import ${count(chosen.length, 'server')}`}
    </Button>
  )
  return (
    <Card
      title={title}
      hint={<span className="font-mono [overflow-wrap:anywhere]">{file}</span>}
      {...(hasChecks ? { actions: button } : {})}
    >
      {problem !== null && (
        <div className="px-4 py-3">
          <StatusDot tone="bad">{problem}</StatusDot>
        </div>
      )}
      {problem === null && servers.length === 0 && <p className="px-4 py-3 text-ink-2">It names no servers.</p>}
      <ul aria-label={`Servers of ${title}`} className="divide-y divide-line">
        {servers.map((server) => (
          <li key={server.name} className="grid grid-cols-[minmax(0,1fr)] px-4 py-2">
            <div className="flex items-start gap-3">
              <div className="mr-auto min-w-0">
                {server.state === 'new' && mayImport ? (
                  <Check
                    checked={!left.has(server.name)}
                    onChange={() => flip(server.name)}
                    label={<span className="font-medium">{server.name}</span>}
                  />
                ) : (
                  <span className={cn('font-medium [overflow-wrap:anywhere]', hasChecks && 'pl-6')}>{server.name}</span>
                )}
              </div>
              <State server={server} />
            </div>
            <div className={cn(hasChecks && 'pl-6')}>
              <Facts server={server} />
            </div>
          </li>
        ))}
      </ul>
      <output>
        {take.data !== undefined && <Outcome answer={take.data} />}
        {take.error !== null && <Failure title="Nothing was imported." error={take.error} />}
      </output>
    </Card>
  )
}

function State({ server: { state, sameAs, connector, name } }: { server: ClientServerView }) {
  switch (state) {
    case 'new':
      return <Badge tone="accent">{connector === name ? 'new' : `new, as ${connector}`}</Badge>
    case 'herma':
      return <Badge tone="ok">this hub</Badge>
    case 'unreadable':
      return <Badge tone="bad">not readable</Badge>
    case 'same':
      return (
        <span className="text-sm text-ink-2">
          already here:{' '}
          <Link to="/connectors/$name" params={{ name: sameAs ?? connector }} className="underline">
            {sameAs ?? connector}
          </Link>
        </span>
      )
  }
}

function Facts({ server: { command, url, env, headers, remarks, problem } }: { server: ClientServerView }) {
  const names = [...env, ...headers]
  return (
    <div className="grid gap-0.5 text-sm text-ink-2 [overflow-wrap:anywhere]">
      {(command ?? url) !== null && <code className="font-mono">{command ?? url}</code>}
      {names.length > 0 && <span>with {names.join(', ')}</span>}
      {remarks.map((text) => (
        <span key={text}>{text}</span>
      ))}
      {problem !== null && <span className="text-bad">{problem}</span>}
    </div>
  )
}

function Outcome({ answer: { added, skipped, failed, remarks, storedSecrets } }: { answer: ImportAnswer }) {
  return (
    <div className="grid gap-1 border-t border-line px-4 py-2.5 text-sm">
      {added.length > 0 && (
        <StatusDot tone="ok">
          Added{' '}
          {added.map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <Link to="/connectors/$name" params={{ name }} className="underline">
                {name}
              </Link>
            </span>
          ))}
        </StatusDot>
      )}
      {storedSecrets.length > 0 && <StatusDot tone="ok">Stored by name: {storedSecrets.join(', ')}</StatusDot>}
      {skipped.map(({ name, reason }) => (
        <StatusDot key={name} tone="off">
          {name}: {reason}
        </StatusDot>
      ))}
      {failed.map(({ name, reason }) => (
        <StatusDot key={name} tone="bad">
          {name}: {reason}
        </StatusDot>
      ))}
      {remarks.map(({ name, text }) => (
        <StatusDot key={name + text} tone="warn">
          {name}: {text}
        </StatusDot>
      ))}
    </div>
  )
}

import type { ClientConfigView } from '@herma/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { Button, buttonStyle } from '../ui/button.tsx'
import { count } from '../ui/format.ts'
import { announce } from '../ui/overlay/toasts.tsx'
import { Failure } from '../ui/page/page-state.tsx'
import { PasteServers } from './paste-servers.tsx'

/** What a new hub shows: how the first servers come in, in three steps. */
export function FirstRun() {
  const mayAdd = useMay('admin')
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-6 rounded-lg border border-line bg-surface p-4 shadow-card sm:p-6">
      <Step
        number={1}
        title="Add your servers"
        hint="A connector is one MCP server that this hub calls for its clients."
      >
        {mayAdd ? (
          <>
            <PasteServers />
            <FoundClients />
            <div className="flex flex-wrap gap-2">
              <Link to="/connectors/new" className={buttonStyle()}>
                Fill in a form
              </Link>
              <Link to="/discover" search={{ tab: 'bundles' }} className={buttonStyle()}>
                Install the starter bundle
              </Link>
              <Link to="/discover" className={buttonStyle()}>
                Search the registry
              </Link>
            </div>
          </>
        ) : (
          <p className="text-ink-2">Ask an admin of this hub to add one.</p>
        )}
      </Step>
      <Step
        number={2}
        title="Connect a client"
        hint="Copy the line for your client from below. One address, all servers."
      />
      <Step
        number={3}
        title="Ask for something"
        hint="Every call appears here and under Traces, with what was sent and why it failed."
      />
    </ol>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly hint: string
  readonly children?: ReactNode
}

function Step({ number, title, hint, children }: StepProps) {
  return (
    <li className="grid grid-cols-[28px_minmax(0,1fr)] gap-x-2">
      <span
        aria-hidden
        className="tnum grid size-5 place-items-center rounded-full bg-accent-soft text-xs font-medium text-accent-text"
      >
        {number}
      </span>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <div>
          <h2 className="font-medium">{title}</h2>
          <p className="text-ink-2">{hint}</p>
        </div>
        {children}
      </div>
    </li>
  )
}

/** Servers that clients on the hub's machine already have. */
function FoundClients() {
  const { data } = useQuery({
    queryKey: ['discovery', 'clients'],
    queryFn: async ({ signal }) => (await api.listClientConfigs({}, { signal })).clients,
  })
  const take = useMutation({
    mutationFn: ({ id, servers }: ClientConfigView) =>
      api.importFromClient({
        body: { client: id, names: servers.filter(({ state }) => state === 'new').map(({ name }) => name) },
      }),
    onSuccess: ({ added }) => announce(`Added ${count(added.length, 'connector')}`, added.join(', ')),
  })
  const found = data?.filter(({ servers }) => servers.some(({ state }) => state === 'new')) ?? []
  if (found.length === 0) return null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className="text-sm font-medium">Found on this machine</p>
      <ul className="rounded-md border border-line">
        {found.map((client) => (
          <li
            key={client.id}
            className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2 first:border-t-0"
          >
            <span className="mr-auto min-w-0">
              <span className="font-medium">{client.title}</span>{' '}
              <span className="text-ink-2">
                {client.servers
                  .filter(({ state }) => state === 'new')
                  .map(({ name }) => name)
                  .join(', ')}
              </span>
            </span>
            <Button size="sm" pending={take.isPending && take.variables === client} onClick={() => take.mutate(client)}>
              Add {count(client.servers.filter(({ state }) => state === 'new').length, 'server')}
            </Button>
          </li>
        ))}
      </ul>
      {take.error !== null && <Failure title="They could not be added." error={take.error} />}
    </div>
  )
}

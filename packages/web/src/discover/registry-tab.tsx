import type { DiscoveredServer } from '@herma/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useMay } from '../api/me.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/form/field.tsx'
import { count } from '../ui/format.ts'
import { Empty, Failure, Loading } from '../ui/page/page-state.tsx'
import { useRowKeys } from '../ui/page/use-row-keys.ts'
import { Row, Rows } from '../ui/rows.tsx'
import { discoverySettingsQuery, registryQuery } from './discover-queries.ts'
import { RegistryDialog } from './registry-dialog.tsx'
import { ServerDrawer } from './server-drawer.tsx'

const restMs = 300

/** Servers that others published. */
export function RegistryTab() {
  const { query = '', registry, open } = useSearch({ from: '/discover' })
  const navigate = useNavigate({ from: '/discover' })
  const mayChange = useMay('admin')
  const { data: settings } = useQuery(discoverySettingsQuery)
  const [isEditing, setEditing] = useState(false)
  const found = useInfiniteQuery(registryQuery(query, registry))
  const servers = found.data?.pages.flatMap((page) => page.servers) ?? []
  const skipped = found.data?.pages.reduce((sum, page) => sum + page.skipped, 0) ?? 0
  const opened = servers.find(({ name }) => name === open)
  useRowKeys(opened === undefined)
  const go = (part: { query?: string; registry?: string; open?: string }) =>
    void navigate({
      search: ({ query: text, registry: address }) => keepSet({ query: text, registry: address, ...part }),
      replace: true,
      resetScroll: false,
    })
  const editButton = (
    <Button size="sm" onClick={() => setEditing(true)}>
      Change the registry
    </Button>
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox value={query} onChange={(text) => go({ query: text })} />
        {settings !== undefined && settings.registries.length > 1 && (
          <div className="w-64 max-w-full">
            <Select
              aria-label="Registry"
              value={registry ?? settings.registries[0]}
              onChange={({ target }) => go({ registry: target.value === settings.registries[0] ? '' : target.value })}
            >
              {settings.registries.map((address) => (
                <option key={address} value={address}>
                  {new URL(address).host}
                </option>
              ))}
            </Select>
          </div>
        )}
        {mayChange && settings !== undefined && (
          <Button className="ml-auto" onClick={() => setEditing(true)}>
            Registries
          </Button>
        )}
      </div>
      {found.error !== null && (
        <Failure
          title="The registry cannot be read."
          error={found.error}
          onRetry={() => void found.refetch()}
          {...(mayChange ? { fix: editButton } : {})}
        />
      )}
      {found.isPending && <Loading what="the servers of the registry" />}
      {found.isSuccess && servers.length === 0 && (
        <Empty title={query === '' ? 'This registry is empty.' : `Nothing is named like “${query}”.`}>
          <p>The registry searches in names. Try one word of it, or paste what the server's page says under Paste.</p>
        </Empty>
      )}
      {servers.length > 0 && (
        <Rows label="Servers of the registry" className="rounded-lg border border-line bg-surface shadow-card">
          {servers.map((server) => (
            <ServerRow
              key={`${server.name} ${server.version}`}
              server={server}
              onOpen={() => go({ open: server.name })}
            />
          ))}
        </Rows>
      )}
      {skipped > 0 && <p className="text-sm text-ink-3">{count(skipped, 'entry', 'entries')} could not be read.</p>}
      {found.hasNextPage && (
        <Button
          className="justify-self-start"
          pending={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {opened !== undefined && <ServerDrawer key={opened.name} server={opened} onClose={() => go({ open: '' })} />}
      {isEditing && settings !== undefined && <RegistryDialog settings={settings} onClose={() => setEditing(false)} />}
    </div>
  )
}

function ServerRow({ server, onOpen }: { server: DiscoveredServer; onOpen: () => void }) {
  const { name, title, description, version, status, options, connectors } = server
  const kinds = [...new Set(options.map(({ kind }) => kind))]
  return (
    <Row
      title={
        <button
          type="button"
          data-row
          onClick={onOpen}
          className="rounded-sm text-left font-medium hover:underline pointer-coarse:min-h-11"
        >
          {title}
        </button>
      }
      badges={
        <>
          {kinds.map((kind) => (
            <Badge key={kind}>{kind}</Badge>
          ))}
          {status !== 'active' && <Badge tone="warn">{status}</Badge>}
          {connectors.length > 0 && <Badge tone="ok">added</Badge>}
        </>
      }
      detail={
        <>
          <span className="line-clamp-2">{description}</span>
          <span className="mt-0.5 block text-ink-3">
            <span className="font-mono">{name}</span> {version} · {describeNeeds(server)}
          </span>
        </>
      }
    />
  )
}

function describeNeeds({ options }: DiscoveredServer): string {
  const least = Math.min(...options.map(({ needs }) => needs.filter(({ isRequired }) => isRequired).length))
  if (options.length === 0) return 'nothing to install'
  return least === 0 ? 'needs no values' : `needs ${count(least, 'value')}`
}

function SearchBox({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  // Each letter would be a request to somebody else's server.
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => onChange(text.trim()), restMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <span className="field-box flex w-96 max-w-full min-w-0 items-center">
      <Search className="ml-2.5 size-4 shrink-0 text-ink-3" aria-hidden />
      <input
        type="search"
        data-filter
        aria-label="Search the registry"
        placeholder="Search by name"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full min-w-0 rounded-md bg-transparent px-2 text-base outline-none placeholder:text-ink-3 pointer-coarse:h-11 pointer-coarse:text-lg"
      />
    </span>
  )
}

function keepSet<T extends Record<string, string | undefined>>(search: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  ) as Partial<T>
}

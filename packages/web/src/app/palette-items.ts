import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../api/me.ts'
import { connectorsQuery, serversQuery, sessionsQuery, toolsQuery } from '../api/queries.ts'
import { navigation } from './navigation.ts'
import { setDark } from './theme.ts'

export interface PaletteItem {
  readonly value: string
  readonly label: string
  readonly hint?: string
  readonly run: () => void
}

export interface PaletteGroup {
  readonly value: string
  readonly items: PaletteItem[]
}

/** Everything that the palette can find, by kind. */
export function usePaletteGroups(): PaletteGroup[] {
  const navigate = useNavigate()
  const mayChange = useMay('admin')
  const connectors = useQuery(connectorsQuery).data ?? []
  const sessions = useQuery(sessionsQuery).data ?? []
  const servers = useQuery(serversQuery).data ?? []
  const tools = useQuery(toolsQuery).data ?? []
  const pages = navigation
    .flatMap(({ pages: each }) => each)
    .map(({ to, label, key }) => ({ value: to, label, hint: `g ${key}`, run: () => void navigate({ to }) }))
  const actions: PaletteItem[] = [
    ...(mayChange
      ? [
          { value: 'new-connector', label: 'New connector', run: () => void navigate({ to: '/connectors/new' }) },
          { value: 'new-session', label: 'New session', run: () => void navigate({ to: '/sessions/new' }) },
          { value: 'new-server', label: 'New server or team', run: () => void navigate({ to: '/servers/new' }) },
        ]
      : []),
    { value: 'connect', label: 'Connect a client', run: () => void navigate({ to: '/', hash: 'clients' }) },
    { value: 'dark', label: 'Use the dark theme', run: () => setDark(true) },
    { value: 'light', label: 'Use the light theme', run: () => setDark(false) },
  ]
  return [
    { value: 'Go to', items: pages },
    { value: 'Actions', items: actions },
    {
      value: 'Connectors',
      items: connectors.map(({ id, name, transport }) => ({
        value: `connector ${id}`,
        label: name,
        hint: transport,
        run: () => void navigate({ to: '/connectors/$name', params: { name } }),
      })),
    },
    {
      value: 'Sessions',
      items: sessions.map(({ name, provider }) => ({
        value: `session ${name}`,
        label: name,
        hint: provider,
        run: () => void navigate({ to: '/sessions/$name', params: { name } }),
      })),
    },
    {
      value: 'Servers',
      items: servers.map(({ name, kind }) => ({
        value: `server ${name}`,
        label: name,
        hint: kind,
        run: () => void navigate({ to: '/servers/$name', params: { name } }),
      })),
    },
    {
      value: 'Tools',
      items: tools.map(({ name, connector, originalName }) => ({
        value: `tool ${connector} ${originalName}`,
        label: name ?? originalName,
        hint: connector,
        run: () => void navigate({ to: '/catalog', search: { tool: `${connector}/${originalName}` } }),
      })),
    },
  ].filter(({ items }) => items.length > 0)
}

import {
  Boxes,
  Cable,
  Compass,
  House,
  Link2,
  MessagesSquare,
  Server,
  Settings,
  Waypoints,
  type LucideIcon,
} from 'lucide-react'

export type PagePath =
  | '/'
  | '/connectors'
  | '/bindings'
  | '/sessions'
  | '/servers'
  | '/catalog'
  | '/discover'
  | '/traces'
  | '/settings'

export interface Destination {
  readonly to: PagePath
  readonly label: string
  readonly icon: LucideIcon
  /** Pressed after `g`. */
  readonly key: string
}

/** The pages in the order of the sidebar. */
export const navigation: readonly { readonly group: string | null; readonly pages: readonly Destination[] }[] = [
  { group: null, pages: [{ to: '/', label: 'Hub', icon: House, key: 'h' }] },
  {
    group: 'Connect',
    pages: [
      { to: '/connectors', label: 'Connectors', icon: Cable, key: 'c' },
      { to: '/bindings', label: 'Session bindings', icon: Link2, key: 'b' },
      { to: '/sessions', label: 'Sessions', icon: MessagesSquare, key: 's' },
    ],
  },
  {
    group: 'Serve',
    pages: [
      { to: '/servers', label: 'Servers', icon: Server, key: 'v' },
      { to: '/catalog', label: 'Catalog', icon: Boxes, key: 't' },
      { to: '/discover', label: 'Discover', icon: Compass, key: 'd' },
    ],
  },
  {
    group: 'Observe',
    pages: [
      { to: '/traces', label: 'Traces', icon: Waypoints, key: 'r' },
      { to: '/settings', label: 'Settings', icon: Settings, key: ',' },
    ],
  },
]

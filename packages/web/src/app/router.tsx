import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Link } from '@tanstack/react-router'
import { readBindingSearch } from '../binding/binding-search.ts'
import { readCatalogSearch } from '../catalog/catalog-search.ts'
import { readConnectorSearch, readConnectorsSearch, readNewConnectorSearch } from '../connector/connector-search.ts'
import { readDiscoverSearch } from '../discover/discover-search.ts'
import { HubPage } from '../hub/hub-page.tsx'
import { readServerSearch } from '../server/server-search.ts'
import { readChatSearch, readNewSessionSearch, readSessionSearch } from '../session/session-search.ts'
import { readSettingSearch } from '../setting/setting-search.ts'
import { readTraceSearch } from '../trace/trace-search.ts'
import { Failure } from '../ui/page/page-state.tsx'
import { Page } from '../ui/page/page.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken })
const getParentRoute = () => root
// One file for all of them: apart they would weigh an eighth more, and somebody who sets up a hub needs most.
const importPages = () => import('./pages.ts')

/** What belongs to a tab of a page that has tabs. */
const readTab = (search: Record<string, unknown>): { tab?: string } =>
  typeof search['tab'] === 'string' ? { tab: search['tab'] } : {}

/** Filters, tabs and selection live in the address, so that a page can be sent to somebody. */
const routes = [
  createRoute({ getParentRoute, path: '/', component: HubPage }),
  createRoute({
    getParentRoute,
    path: '/connectors',
    validateSearch: readConnectorsSearch,
    component: lazyRouteComponent(importPages, 'ConnectorsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/connectors/new',
    validateSearch: readNewConnectorSearch,
    component: lazyRouteComponent(importPages, 'NewConnectorPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/connectors/$name',
    validateSearch: readConnectorSearch,
    component: lazyRouteComponent(importPages, 'ConnectorPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/bindings',
    validateSearch: readBindingSearch,
    component: lazyRouteComponent(importPages, 'BindingsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions',
    validateSearch: readSessionSearch,
    component: lazyRouteComponent(importPages, 'SessionsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions/new',
    validateSearch: readNewSessionSearch,
    component: lazyRouteComponent(importPages, 'SessionFormPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions/$name',
    validateSearch: readChatSearch,
    component: lazyRouteComponent(importPages, 'ChatPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions/$name/edit',
    component: lazyRouteComponent(importPages, 'SessionFormPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/servers',
    validateSearch: readServerSearch,
    component: lazyRouteComponent(importPages, 'ServersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/servers/new',
    component: lazyRouteComponent(importPages, 'NewServerPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/servers/$name',
    validateSearch: readTab,
    component: lazyRouteComponent(importPages, 'ServerPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/catalog',
    validateSearch: readCatalogSearch,
    component: lazyRouteComponent(importPages, 'CatalogPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/discover',
    validateSearch: readDiscoverSearch,
    component: lazyRouteComponent(importPages, 'DiscoverPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/traces',
    validateSearch: readTraceSearch,
    component: lazyRouteComponent(importPages, 'TracesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings',
    validateSearch: readSettingSearch,
    component: lazyRouteComponent(importPages, 'SettingsPage'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren([...routes]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

function NotFound() {
  return (
    <Page title="Not found">
      <p className="text-ink-2">
        There is no page at this address.{' '}
        <Link to="/" className="underline">
          Go to the hub
        </Link>
      </p>
    </Page>
  )
}

function Broken({ error }: { error: unknown }) {
  return (
    <Page title="This page broke">
      <Failure
        title="Something went wrong while this page was drawn. Nothing is lost on the hub."
        error={error}
        onRetry={() => location.reload()}
      />
    </Page>
  )
}

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Link } from '@tanstack/react-router'
import { Failure } from './app/page-state.tsx'
import { Page } from './app/page.tsx'
import { Shell } from './app/shell.tsx'
import { HubPage } from './hub/hub-page.tsx'
import { readCatalogSearch } from './catalog/catalog-search.ts'
import { readTraceSearch } from './trace/trace-search.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken })
const getParentRoute = () => root

/** What belongs to a tab of a page that has tabs. */
const readTab = (search: Record<string, unknown>): { tab?: string } =>
  typeof search['tab'] === 'string' ? { tab: search['tab'] } : {}

/** Filters, tabs and selection live in the address, so that a page can be sent to somebody. */
const routes = [
  createRoute({ getParentRoute, path: '/', component: HubPage }),
  createRoute({
    getParentRoute,
    path: '/connectors',
    component: lazyRouteComponent(() => import('./connector/connectors-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/connectors/new',
    component: lazyRouteComponent(() => import('./connector/connector-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/connectors/$name',
    component: lazyRouteComponent(() => import('./connector/connector-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/bindings',
    component: lazyRouteComponent(() => import('./binding/bindings-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions',
    component: lazyRouteComponent(() => import('./session/sessions-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions/new',
    component: lazyRouteComponent(() => import('./session/session-form-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions/$name',
    component: lazyRouteComponent(() => import('./session/chat-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions/$name/edit',
    component: lazyRouteComponent(() => import('./session/session-form-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/servers',
    component: lazyRouteComponent(() => import('./server/servers-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/servers/new',
    component: lazyRouteComponent(() => import('./server/new-server-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/servers/$name',
    validateSearch: readTab,
    component: lazyRouteComponent(() => import('./server/server-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/catalog',
    validateSearch: readCatalogSearch,
    component: lazyRouteComponent(() => import('./catalog/catalog-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/discover',
    validateSearch: readTab,
    component: lazyRouteComponent(() => import('./discover/discover-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/traces',
    validateSearch: readTraceSearch,
    component: lazyRouteComponent(() => import('./trace/traces-page.tsx')),
  }),
  createRoute({
    getParentRoute,
    path: '/settings',
    component: lazyRouteComponent(() => import('./setting/settings-page.tsx')),
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

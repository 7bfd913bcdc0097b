import { catalogRoutes, type CatalogService } from './catalog/routes.ts'
import { importRoutes } from './discovery/index.ts'
import { signInRoutes } from './downstream/authorization/routes.ts'
import type { SignInService } from './downstream/authorization/sign-in-desk.ts'
import type { ConnectorService } from './downstream/index.ts'
import { connectorRoutes } from './downstream/routes.ts'
import { serverRoutes, type ServerService } from './gateway/routes.ts'
import { hubRoutes, type HubControl } from './hub-routes.ts'
import type { Route } from './platform/http/index.ts'
import { eventRoutes, type RecentEvents } from './trace/routes.ts'

/** Everything that the routes of the management API call. */
export interface ApiParts {
  readonly connectors: ConnectorService
  readonly signIns: SignInService
  readonly servers: ServerService
  readonly catalog: CatalogService
  readonly events: RecentEvents
  readonly hub: HubControl
}

/** The whole management API, for the hub that serves it and for the document that describes it. */
export function apiRoutes({ connectors, signIns, servers, catalog, events, hub }: ApiParts): Route[] {
  return [
    ...hubRoutes(hub),
    ...connectorRoutes(connectors),
    ...signInRoutes(signIns),
    ...importRoutes(connectors),
    ...serverRoutes(servers),
    ...catalogRoutes(catalog),
    ...eventRoutes(events),
  ]
}

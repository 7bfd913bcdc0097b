import type { Access } from './access/access.ts'
import { userRoutes, type AuthorityService } from './access/authority/routes.ts'
import { keyRoutes } from './access/key/routes.ts'
import { policyRoutes, type PolicyService } from './access/policy/routes.ts'
import { accessRoutes } from './access/routes.ts'
import type { BackupService } from './backup/backup-desk.ts'
import { backupRoutes } from './backup/routes.ts'
import { catalogRoutes, type CatalogService } from './catalog/routes.ts'
import { changeRoutes, type ChangeService } from './change/routes.ts'
import { useRoutes, type UseService } from './connector-uses.ts'
import { discoveryRoutes, importRoutes, type DiscoveryService } from './discovery/index.ts'
import type { CredentialService } from './downstream/authorization/credential-desk.ts'
import { credentialRoutes } from './downstream/authorization/credential-routes.ts'
import { signInRoutes } from './downstream/authorization/routes.ts'
import type { SignInService } from './downstream/authorization/sign-in-desk.ts'
import type { ConnectorService } from './downstream/index.ts'
import { connectorRoutes } from './downstream/routes.ts'
import { serverInsightRoutes, type ServerInsight } from './gateway/insight-routes.ts'
import { serverRoutes, type ServerService, type ServerTestService } from './gateway/routes.ts'
import { hubRoutes, type HubControl } from './hub-routes.ts'
import type { Route } from './platform/http/index.ts'
import { secretRoutes, type KeyService, type SecretService } from './secret/routes.ts'
import { sessionRoutes, type BindingService, type SessionService } from './session/routes.ts'
import { threadRoutes, type ThreadService } from './session/thread/routes.ts'
import { teamRoutes, type TeamService } from './team/routes.ts'
import type { ReplayService } from './trace/replay-desk.ts'
import { traceRoutes, type TraceService } from './trace/routes.ts'
import { browseRoutes, type BrowseService } from './workspace/routes.ts'

/** Everything that the routes of the management API call. */
export interface ApiParts {
  readonly connectors: ConnectorService
  readonly signIns: SignInService
  readonly credentials: CredentialService
  readonly servers: ServerService
  readonly catalog: CatalogService
  readonly traces: TraceService
  readonly hub: HubControl
  readonly secrets: SecretService
  /** The keys that seal secrets. */
  readonly keys: KeyService
  readonly access: Access
  readonly policy: PolicyService
  readonly authority: AuthorityService
  readonly sessions: SessionService
  readonly teams: TeamService
  readonly bindings: BindingService
  readonly threads: ThreadService
  readonly discovery: DiscoveryService
  readonly changes: ChangeService
  readonly uses: UseService
  readonly serverTests: ServerTestService
  readonly serverInsight: ServerInsight
  readonly replays: ReplayService
  readonly folders: BrowseService
  readonly backups: BackupService
}

/** The whole management API, for the hub that serves it and for the document that describes it. */
export function apiRoutes(parts: ApiParts): Route[] {
  const { connectors, signIns, servers, catalog, traces, hub, access } = parts
  return [
    ...hubRoutes(hub),
    ...changeRoutes(parts.changes),
    ...useRoutes(parts.uses),
    ...browseRoutes(parts.folders),
    ...backupRoutes(parts.backups),
    ...connectorRoutes(connectors),
    ...signInRoutes(signIns),
    ...credentialRoutes(parts.credentials),
    ...importRoutes(connectors),
    ...discoveryRoutes(parts.discovery),
    ...serverRoutes(servers, parts.serverTests),
    ...serverInsightRoutes(parts.serverInsight),
    ...catalogRoutes(catalog),
    ...traceRoutes(traces, parts.replays),
    ...accessRoutes(access),
    ...keyRoutes(access.keys),
    ...policyRoutes(parts.policy),
    ...userRoutes(parts.authority),
    ...secretRoutes(parts.secrets, parts.keys),
    ...sessionRoutes(parts.sessions, parts.bindings),
    ...threadRoutes(parts.threads),
    ...teamRoutes(parts.teams),
  ]
}

import type { Access } from '../access/access.ts'
import { userApi, type AuthorityService } from '../access/authority/api.ts'
import { keyApi } from '../access/key/api.ts'
import { policyApi, type PolicyService } from '../access/policy/api.ts'
import { accessApi } from '../access/api.ts'
import type { BackupService } from '../backup/backups.ts'
import { backupApi } from '../backup/api.ts'
import { catalogApi, type CatalogService } from '../catalog/api.ts'
import { compositeApi } from '../catalog/composite/api.ts'
import { driftApi } from '../catalog/drift/api.ts'
import { pinApi } from '../catalog/pin/api.ts'
import { changeApi, type ChangeService } from '../change/api.ts'
import { connectorUseApi, type UseService } from './connector-uses.ts'
import { discoveryApi, type DiscoveryService } from '../discovery/index.ts'
import type { CredentialService } from '../downstream/authorization/credential/credential-registry.ts'
import { credentialApi } from '../downstream/authorization/credential/api.ts'
import { signInApi } from '../downstream/authorization/sign-in/api.ts'
import type { SignInService } from '../downstream/authorization/sign-in/sign-ins.ts'
import type { ConnectorService } from '../downstream/index.ts'
import { connectorApi } from '../downstream/connector/api.ts'
import { serverInsightApi, type ServerInsight } from '../gateway/server/insight-api.ts'
import { serverApi, type ServerService, type ServerTestService } from '../gateway/server/api.ts'
import { hubApi, type HubControl } from './hub-api.ts'
import type { Route } from '../platform/http/index.ts'
import { secretApi, type KeyService, type SecretService } from '../secret/api.ts'
import { sessionApi, type BindingService, type SessionService } from '../session/api.ts'
import { threadApi, type ThreadService } from '../session/thread/api.ts'
import { teamApi, type TeamService } from '../team/api.ts'
import type { ReplayService } from '../trace/replay/replays.ts'
import { traceApi, type TraceService } from '../trace/api.ts'
import { latencyApi } from '../trace/latency/api.ts'
import { replayApi } from '../trace/replay/api.ts'
import { workspaceApi, type BrowseService } from '../workspace/api.ts'

/** Everything that the routes of the management API call. */
export interface ApiOptions {
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
export function apiRoutes(parts: ApiOptions): Route[] {
  const { connectors, signIns, servers, catalog, traces, hub, access } = parts
  return [
    ...hubApi(hub),
    ...changeApi(parts.changes),
    ...connectorUseApi(parts.uses),
    ...workspaceApi(parts.folders),
    ...backupApi(parts.backups),
    ...connectorApi(connectors),
    ...signInApi(signIns),
    ...credentialApi(parts.credentials),
    ...discoveryApi(parts.discovery, connectors),
    ...serverApi(servers, parts.serverTests),
    ...serverInsightApi(parts.serverInsight),
    ...catalogApi(catalog),
    ...compositeApi(catalog),
    ...pinApi(catalog),
    ...driftApi(catalog),
    ...traceApi(traces),
    ...latencyApi(traces.latencies),
    ...replayApi(parts.replays),
    ...accessApi(access),
    ...keyApi(access.keys),
    ...policyApi(parts.policy),
    ...userApi(parts.authority),
    ...secretApi(parts.secrets, parts.keys),
    ...sessionApi(parts.sessions, parts.bindings),
    ...threadApi(parts.threads),
    ...teamApi(parts.teams),
  ]
}

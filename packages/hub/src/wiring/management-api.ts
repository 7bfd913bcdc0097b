import type { Access } from '../access/access.ts'
import { accessApi } from '../access/api.ts'
import { userApi, type AuthorityManagement } from '../access/authority/api.ts'
import { keyApi } from '../access/key/api.ts'
import { policyApi } from '../access/policy/api.ts'
import type { Policy } from '../access/policy/policy.ts'
import { backupApi } from '../backup/api.ts'
import type { Backups } from '../backup/backups.ts'
import { catalogApi } from '../catalog/api.ts'
import type { CatalogManager } from '../catalog/catalog-manager.ts'
import { compositeApi } from '../catalog/composite-api.ts'
import { driftApi } from '../catalog/drift-api.ts'
import { pinApi } from '../catalog/pin-api.ts'
import { changeApi } from '../change/api.ts'
import type { ChangeFeed } from '../change/change-feed.ts'
import { discoveryApi, type Discoveries } from '../discovery/index.ts'
import { credentialApi } from '../downstream/authorization/credential/api.ts'
import type { CredentialRegistry } from '../downstream/authorization/credential/credential-registry.ts'
import { signInApi } from '../downstream/authorization/sign-in/api.ts'
import type { SignIns } from '../downstream/authorization/sign-in/sign-ins.ts'
import { connectorApi } from '../downstream/connector/api.ts'
import type { Connectors } from '../downstream/index.ts'
import { serverApi, type TestServer } from '../gateway/server/api.ts'
import { serverInsightApi, type ServerInsight } from '../gateway/server/insight-api.ts'
import type { Servers } from '../gateway/server/servers.ts'
import type { Route } from '../platform/http/index.ts'
import { secretApi } from '../secret/api.ts'
import type { KeyRotation, Secrets } from '../secret/index.ts'
import { sessionApi } from '../session/api.ts'
import type { Bindings } from '../session/binding/bindings.ts'
import type { Sessions } from '../session/sessions.ts'
import type { SessionTester } from '../session/health/test-session.ts'
import { threadApi } from '../session/thread/api.ts'
import type { Threads } from '../session/thread/threads.ts'
import { teamApi } from '../team/api.ts'
import type { Teams } from '../team/teams.ts'
import { traceApi, type TraceManagement } from '../trace/api.ts'
import { latencyApi } from '../trace/latency/api.ts'
import { replayApi } from '../trace/replay/api.ts'
import type { Replays } from '../trace/replay/replays.ts'
import { workspaceApi, type BrowseFolder } from '../workspace/api.ts'
import { connectorUseApi, type ConnectorUseIndex } from './connector-uses.ts'
import { hubApi, type HubControl } from './hub-api.ts'

/** Everything that the routes of the management API call. */
export interface ManagedParts {
  readonly connectors: Connectors
  readonly signIns: SignIns
  readonly credentials: CredentialRegistry
  readonly servers: Servers
  readonly catalog: CatalogManager
  readonly traces: TraceManagement
  readonly hub: HubControl
  readonly secrets: Secrets
  /** The keys that seal secrets. */
  readonly keys: KeyRotation
  readonly access: Access
  readonly policy: Policy
  readonly authority: AuthorityManagement
  readonly sessions: Sessions
  readonly tester: SessionTester
  readonly teams: Teams
  readonly bindings: Bindings
  readonly threads: Threads
  readonly discovery: Discoveries
  readonly changes: ChangeFeed
  readonly uses: ConnectorUseIndex
  readonly testServer: TestServer
  readonly serverInsight: ServerInsight
  readonly replays: Replays
  readonly browseFolder: BrowseFolder
  readonly backups: Backups
}

/** The whole management API, for the hub that serves it and for the document that describes it. */
export function managementRoutes(parts: ManagedParts): Route[] {
  const { connectors, signIns, servers, catalog, traces, hub, access } = parts
  return [
    ...hubApi(hub),
    ...changeApi(parts.changes),
    ...connectorUseApi(parts.uses),
    ...workspaceApi(parts.browseFolder),
    ...backupApi(parts.backups),
    ...connectorApi(connectors),
    ...signInApi(signIns),
    ...credentialApi(parts.credentials),
    ...discoveryApi(parts.discovery, connectors),
    ...serverApi(servers, parts.testServer),
    ...serverInsightApi(parts.serverInsight),
    ...catalogApi(catalog),
    ...compositeApi(catalog),
    ...pinApi(catalog),
    ...driftApi(catalog),
    ...traceApi(traces),
    ...latencyApi(traces.latencies, () => ({
      connectors: connectors.entries().map(({ stored }) => stored.connector.name),
      servers: servers.list().map(({ name }) => name),
    })),
    ...replayApi(parts.replays),
    ...accessApi(access),
    ...keyApi(access.keys),
    ...policyApi(parts.policy),
    ...userApi(parts.authority),
    ...secretApi(parts.secrets, parts.keys),
    ...sessionApi(parts.sessions, parts.bindings, parts.tester),
    ...threadApi(parts.threads),
    ...teamApi(parts.teams),
  ]
}

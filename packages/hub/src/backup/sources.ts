import type { Access } from '../access/access.ts'
import type { AuthorityManagement } from '../access/authority/api.ts'
import type { Policy } from '../access/policy/policy.ts'
import type { CatalogManager } from '../catalog/catalog-manager.ts'
import type { Discoveries } from '../discovery/index.ts'
import type { Connectors } from '../downstream/index.ts'
import type { Servers } from '../gateway/server/servers.ts'
import type { Secrets } from '../secret/index.ts'
import type { Bindings } from '../session/binding/bindings.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Teams } from '../team/teams.ts'
import type { TraceManagement } from '../trace/api.ts'

/** What backups are made of: the same services that people use, so that an entry is checked like any other input. */
export interface BackupSources {
  readonly connectors: Connectors
  readonly sessions: Sessions
  readonly bindings: Bindings
  readonly teams: Teams
  readonly servers: Servers
  readonly catalog: CatalogManager
  readonly secrets: Secrets
  readonly access: Access
  readonly policy: Policy
  readonly authority: AuthorityManagement
  readonly traces: TraceManagement
  readonly discovery: Discoveries
}

import type { Role } from '@herma/contract'

/**
 * The least role for operations of the management API that do not follow the rule: who looks (GET) is a viewer, who
 * changes is an admin. Where a member may change something, the operation itself sees to it that it is the member's own
 * (`mayTouch`).
 */
export const routeRoles: Readonly<Record<string, Role>> = {
  // Whoever has the link is the operator.
  createOperatorLink: 'owner',
  rotateSecretKeys: 'owner',
  // It holds everything but the secrets, and changes whatever it names.
  writeBackup: 'owner',
  restoreBackup: 'owner',
  // Whom the hub believes when somebody is said to have a role.
  addIdentityProvider: 'owner',
  removeIdentityProvider: 'owner',
  addTrustedIssuer: 'owner',
  removeTrustedIssuer: 'owner',
  // These hold what others said to their tools.
  listEvents: 'admin',
  listTraces: 'admin',
  getTrace: 'admin',
  tailTraces: 'admin',
  downloadTrace: 'admin',
  downloadTraces: 'admin',
  listAudit: 'admin',
  // Whoever sees the folders of the machine knows a lot about it.
  browseFolder: 'admin',
  // They look at files of the machine, or make the hub ask others.
  listClientConfigs: 'admin',
  searchRegistry: 'member',
  // A person's own.
  addKey: 'member',
  revokeKey: 'member',
  revokeGrant: 'viewer',
  signInToConnector: 'member',
  signOutOfConnector: 'member',
  setOwnCredentials: 'member',
  addThread: 'member',
  renameThread: 'member',
  removeThread: 'member',
  sayInThread: 'member',
  followThread: 'member',
  cancelTurn: 'member',
  answerApproval: 'member',
  removeOwnCredentials: 'member',
  // Who has an account where.
  listCredentialHolders: 'admin',
}

/** What everybody who is known at all may do, whatever their key or token is for. */
export const openRoutes: ReadonlySet<string> = new Set(['whoAmI'])

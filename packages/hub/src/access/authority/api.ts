import { userOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'
import type { IdentityProviders } from './provider/identity-providers.ts'
import type { Users } from './user/users.ts'

/** What management sees of users and of other issuers. */
export interface AuthorityManagement {
  readonly users: Users
  readonly trust: IdentityProviders
}

/** Users, what they allowed OAuth clients, and whom else the hub trusts. */
export function userApi({ users, trust }: AuthorityManagement): Route[] {
  return serve(userOperations, {
    listUsers: async () => ({ users: await users.list() }),
    addUser: ({ body, principal }) => users.add(body, principal),
    getUser: ({ params: { name } }) => users.get(name),
    updateUser: ({ params: { name }, body, principal }) => users.update(name, body, principal),
    resetUser: ({ params: { name }, principal }) => users.reset(name, principal),
    removeUser: ({ params: { name }, principal }) => users.remove(name, principal),
    listGrants: async ({ principal }) => ({ grants: await users.listGrants(principal) }),
    revokeGrant: ({ params: { id }, principal }) => users.revokeGrant(id, principal),
    listIdentityProviders: () => ({ providers: trust.listProviders() }),
    addIdentityProvider: ({ body, principal }) => trust.addProvider(body, principal),
    removeIdentityProvider: ({ params: { name }, principal }) => trust.removeProvider(name, principal),
    listTrustedIssuers: () => ({ issuers: trust.listIssuers() }),
    addTrustedIssuer: ({ body, principal }) => trust.addIssuer(body, principal),
    removeTrustedIssuer: ({ params: { name }, principal }) => trust.removeIssuer(name, principal),
  })
}

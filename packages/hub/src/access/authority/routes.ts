import {
  GrantView,
  IdentityProviderInput,
  IdentityProviderView,
  TrustedIssuerInput,
  TrustedIssuerView,
  UserInput,
  UserPatch,
  UserSetup,
  UserView,
} from '@herma/contract'
import { z } from 'zod'
import { defineRoute, type Route } from '../../platform/http/index.ts'
import type { ProviderDesk } from './provider/provider-desk.ts'
import type { UserDesk } from './user/user-desk.ts'

/** What the routes call. */
export interface AuthorityService {
  readonly users: UserDesk
  readonly trust: ProviderDesk
}

const params = z.object({ name: z.string() })

/** Users, what they allowed OAuth clients, and whom else the hub trusts. */
export function userRoutes({ users, trust }: AuthorityService): Route[] {
  return [...accountRoutes(users), ...grantRoutes(users), ...providerRoutes(trust), ...issuerRoutes(trust)]
}

function accountRoutes(users: UserDesk): Route[] {
  return [
    defineRoute({
      id: 'listUsers',
      method: 'GET',
      path: '/api/access/users',
      summary: 'Every user.',
      responses: { 200: { description: 'The users.', schema: z.object({ users: z.array(UserView) }) } },
      handle: async () => ({ status: 200, body: { users: await users.list() } }),
    }),
    defineRoute({
      id: 'addUser',
      method: 'POST',
      path: '/api/access/users',
      summary: 'Adds a user. The answer holds the code for setting a password, once.',
      body: UserInput,
      responses: { 201: { description: 'The user and the code.', schema: UserSetup } },
      handle: async ({ body, principal }) => ({ status: 201, body: await users.add(body, principal) }),
    }),
    defineRoute({
      id: 'getUser',
      method: 'GET',
      path: '/api/access/users/:name',
      summary: 'One user.',
      params,
      responses: { 200: { description: 'The user.', schema: UserView } },
      handle: async ({ params: { name } }) => ({ status: 200, body: await users.get(name) }),
    }),
    defineRoute({
      id: 'updateUser',
      method: 'PATCH',
      path: '/api/access/users/:name',
      summary: 'Changes role, address, or whether the user may sign in. Effective at once.',
      params,
      body: UserPatch,
      responses: { 200: { description: 'The changed user.', schema: UserView } },
      handle: async ({ params: { name }, body, principal }) => ({
        status: 200,
        body: await users.update(name, body, principal),
      }),
    }),
    defineRoute({
      id: 'resetUser',
      method: 'POST',
      path: '/api/access/users/:name/reset',
      summary: 'Forgets password, second factor, signed-in browsers and grants, and makes a new code.',
      params,
      responses: { 200: { description: 'The user and the code.', schema: UserSetup } },
      handle: async ({ params: { name }, principal }) => ({ status: 200, body: await users.reset(name, principal) }),
    }),
    defineRoute({
      id: 'removeUser',
      method: 'DELETE',
      path: '/api/access/users/:name',
      summary: 'Removes a user with everything that was allowed in their name.',
      params,
      responses: { 204: { description: 'The user is gone.' } },
      handle: async ({ params: { name }, principal }) => {
        await users.remove(name, principal)
        return { status: 204 }
      },
    }),
  ]
}

function grantRoutes(users: UserDesk): Route[] {
  return [
    defineRoute({
      id: 'listGrants',
      method: 'GET',
      path: '/api/access/grants',
      summary: 'What users allowed OAuth clients; without the role admin, your own.',
      responses: { 200: { description: 'The grants.', schema: z.object({ grants: z.array(GrantView) }) } },
      handle: async ({ principal }) => ({ status: 200, body: { grants: await users.listGrants(principal) } }),
    }),
    defineRoute({
      id: 'revokeGrant',
      method: 'DELETE',
      path: '/api/access/grants/:id',
      summary: 'Ends what a user allowed a client. Its tokens are refused from now on.',
      params: z.object({ id: z.string() }),
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { id }, principal }) => {
        await users.revokeGrant(id, principal)
        return { status: 204 }
      },
    }),
  ]
}

function providerRoutes(trust: ProviderDesk): Route[] {
  const list = z.object({ providers: z.array(IdentityProviderView) })
  return [
    defineRoute({
      id: 'listIdentityProviders',
      method: 'GET',
      path: '/api/access/providers',
      summary: 'Identity providers (OpenID Connect) that people may sign in with.',
      responses: { 200: { description: 'The providers.', schema: list } },
      handle: () => ({ status: 200, body: { providers: trust.listProviders() } }),
    }),
    defineRoute({
      id: 'addIdentityProvider',
      method: 'POST',
      path: '/api/access/providers',
      summary: 'Adds an identity provider, after asking it for its endpoints.',
      body: IdentityProviderInput,
      responses: { 201: { description: 'The provider.', schema: IdentityProviderView } },
      handle: async ({ body, principal }) => ({ status: 201, body: await trust.addProvider(body, principal) }),
    }),
    defineRoute({
      id: 'removeIdentityProvider',
      method: 'DELETE',
      path: '/api/access/providers/:name',
      summary: 'Removes an identity provider. Its users stay, and need a password or another provider.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name }, principal }) => {
        await trust.removeProvider(name, principal)
        return { status: 204 }
      },
    }),
  ]
}

function issuerRoutes(trust: ProviderDesk): Route[] {
  return [
    defineRoute({
      id: 'listTrustedIssuers',
      method: 'GET',
      path: '/api/access/issuers',
      summary: 'Other authorization servers whose access tokens count.',
      responses: { 200: { description: 'The issuers.', schema: z.object({ issuers: z.array(TrustedIssuerView) }) } },
      handle: () => ({ status: 200, body: { issuers: trust.listIssuers() } }),
    }),
    defineRoute({
      id: 'addTrustedIssuer',
      method: 'POST',
      path: '/api/access/issuers',
      summary: 'Trusts the access tokens of another authorization server.',
      body: TrustedIssuerInput,
      responses: { 201: { description: 'The issuer.', schema: TrustedIssuerView } },
      handle: async ({ body, principal }) => ({ status: 201, body: await trust.addIssuer(body, principal) }),
    }),
    defineRoute({
      id: 'removeTrustedIssuer',
      method: 'DELETE',
      path: '/api/access/issuers/:name',
      summary: 'Refuses the access tokens of an authorization server from now on.',
      params,
      responses: { 204: { description: 'It is gone.' } },
      handle: async ({ params: { name }, principal }) => {
        await trust.removeIssuer(name, principal)
        return { status: 204 }
      },
    }),
  ]
}

import { z } from 'zod'

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
} from '../user.ts'
import type { ApiOperation } from './operation.ts'

const params = z.object({ name: z.string() })
const list = z.object({ providers: z.array(IdentityProviderView) })

export const userOperations = {
  listUsers: {
    method: 'GET',
    path: '/api/access/users',
    summary: 'Every user.',
    responses: { 200: { description: 'The users.', schema: z.object({ users: z.array(UserView) }) } },
  },
  addUser: {
    method: 'POST',
    path: '/api/access/users',
    summary: 'Adds a user. The answer holds the code for setting a password, once.',
    body: UserInput,
    responses: { 201: { description: 'The user and the code.', schema: UserSetup } },
  },
  getUser: {
    method: 'GET',
    path: '/api/access/users/:name',
    summary: 'One user.',
    params,
    responses: { 200: { description: 'The user.', schema: UserView } },
  },
  updateUser: {
    method: 'PATCH',
    path: '/api/access/users/:name',
    summary: 'Changes role, address, or whether the user may sign in. Effective at once.',
    params,
    body: UserPatch,
    responses: { 200: { description: 'The changed user.', schema: UserView } },
  },
  resetUser: {
    method: 'POST',
    path: '/api/access/users/:name/reset',
    summary: 'Forgets password, second factor, signed-in browsers and grants, and makes a new code.',
    params,
    responses: { 200: { description: 'The user and the code.', schema: UserSetup } },
  },
  removeUser: {
    method: 'DELETE',
    path: '/api/access/users/:name',
    summary: 'Removes a user with everything that was allowed in their name.',
    params,
    responses: { 204: { description: 'The user is gone.' } },
  },
  listGrants: {
    method: 'GET',
    path: '/api/access/grants',
    summary: 'What users allowed OAuth clients; without the role admin, your own.',
    responses: { 200: { description: 'The grants.', schema: z.object({ grants: z.array(GrantView) }) } },
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/api/access/grants/:id',
    role: 'viewer',
    summary: 'Ends what a user allowed a client. Its tokens are refused from now on.',
    params: z.object({ id: z.string() }),
    responses: { 204: { description: 'It is gone.' } },
  },
  listIdentityProviders: {
    method: 'GET',
    path: '/api/access/providers',
    summary: 'Identity providers (OpenID Connect) that people may sign in with.',
    responses: { 200: { description: 'The providers.', schema: list } },
  },
  addIdentityProvider: {
    method: 'POST',
    path: '/api/access/providers',
    role: 'owner',
    summary: 'Adds an identity provider, after asking it for its endpoints.',
    body: IdentityProviderInput,
    responses: { 201: { description: 'The provider.', schema: IdentityProviderView } },
  },
  removeIdentityProvider: {
    method: 'DELETE',
    path: '/api/access/providers/:name',
    role: 'owner',
    summary: 'Removes an identity provider. Its users stay, and need a password or another provider.',
    params,
    responses: { 204: { description: 'It is gone.' } },
  },
  listTrustedIssuers: {
    method: 'GET',
    path: '/api/access/issuers',
    summary: 'Other authorization servers whose access tokens count.',
    responses: { 200: { description: 'The issuers.', schema: z.object({ issuers: z.array(TrustedIssuerView) }) } },
  },
  addTrustedIssuer: {
    method: 'POST',
    path: '/api/access/issuers',
    role: 'owner',
    summary: 'Trusts the access tokens of another authorization server.',
    body: TrustedIssuerInput,
    responses: { 201: { description: 'The issuer.', schema: TrustedIssuerView } },
  },
  removeTrustedIssuer: {
    method: 'DELETE',
    path: '/api/access/issuers/:name',
    role: 'owner',
    summary: 'Refuses the access tokens of an authorization server from now on.',
    params,
    responses: { 204: { description: 'It is gone.' } },
  },
} as const satisfies Record<string, ApiOperation>

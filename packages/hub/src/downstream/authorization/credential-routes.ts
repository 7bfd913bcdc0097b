import { CredentialHolder, CredentialsInput, CredentialsView } from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type Route } from '../../platform/http/index.ts'
import type { CredentialService } from './credential-desk.ts'

const params = z.object({ name: z.string().describe('Name of a connector.') })
const path = '/api/connectors/:name/credentials'

/** Credentials of one's own, and for those who manage the hub: who has some. */
export function credentialRoutes(service: CredentialService): Route[] {
  return [
    defineRoute({
      id: 'getOwnCredentials',
      method: 'GET',
      path,
      summary: 'What the one who asks has for the server of a connector. Values are never shown.',
      params,
      query: z.object({ principal: z.string().max(512).optional().describe('For owners and admins: of whom.') }),
      responses: { 200: { description: 'Sign-in and values.', schema: CredentialsView } },
      handle: ({ params: { name }, query, principal }) => ({
        status: 200,
        body: service.get(name, principal, query.principal),
      }),
    }),
    defineRoute({
      id: 'setOwnCredentials',
      method: 'PUT',
      path,
      summary: 'Stores values of the one who asks, for headers and variables that the connector marks as personal.',
      params,
      body: CredentialsInput,
      responses: { 200: { description: 'Sign-in and values.', schema: CredentialsView } },
      handle: async ({ params: { name }, body, principal }) => ({
        status: 200,
        body: await service.set(name, principal, body),
      }),
    }),
    defineRoute({
      id: 'removeOwnCredentials',
      method: 'DELETE',
      path,
      summary: 'Forgets the values and the sign-in of the one who asks.',
      params,
      responses: { 204: { description: 'They are gone.' } },
      handle: async ({ params: { name }, principal }) => {
        await service.remove(name, principal)
        return { status: 204 }
      },
    }),
    ...holderRoutes(service),
  ]
}

function holderRoutes(service: CredentialService): Route[] {
  return [
    defineRoute({
      id: 'listCredentialHolders',
      method: 'GET',
      path: `${path}/principals`,
      summary: 'Who has credentials of its own for a connector; names only.',
      params,
      responses: { 200: { description: 'They.', schema: z.object({ principals: z.array(CredentialHolder) }) } },
      handle: ({ params: { name }, principal }) => ({
        status: 200,
        body: { principals: service.holders(name, principal) },
      }),
    }),
    defineRoute({
      id: 'removeCredentialsOf',
      method: 'DELETE',
      path: `${path}/principals/:principal`,
      summary: 'Forgets the values and the sign-in of a principal.',
      params: params.extend({ principal: z.string().describe('For example user:ann.') }),
      responses: { 204: { description: 'They are gone.' } },
      handle: async ({ params: { name, principal: whose }, principal }) => {
        await service.remove(name, principal, whose)
        return { status: 204 }
      },
    }),
  ]
}

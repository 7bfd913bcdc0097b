import { z } from 'zod'

import { CredentialHolder, CredentialsInput, CredentialsView } from '../../connector/credential.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ name: z.string().describe('Name of a connector.') })

export const credentialOperations = {
  getOwnCredentials: {
    method: 'GET',
    path: '/api/connectors/:name/credentials',
    summary: 'What the one who asks has for the server of a connector. Values are never shown.',
    params,
    query: z.object({ principal: z.string().max(512).optional().describe('For owners and admins: of whom.') }),
    responses: { 200: { description: 'Sign-in and values.', schema: CredentialsView } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  setOwnCredentials: {
    method: 'PUT',
    path: '/api/connectors/:name/credentials',
    role: 'member',
    summary: 'Stores values of the one who asks, for headers and variables that the connector marks as personal.',
    params,
    body: CredentialsInput,
    responses: { 200: { description: 'Sign-in and values.', schema: CredentialsView } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  removeOwnCredentials: {
    method: 'DELETE',
    path: '/api/connectors/:name/credentials',
    role: 'member',
    summary: 'Forgets the values and the sign-in of the one who asks.',
    params,
    responses: { 204: { description: 'They are gone.' } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  listCredentialHolders: {
    method: 'GET',
    path: '/api/connectors/:name/credentials/principals',
    role: 'admin',
    summary: 'Who has credentials of its own for a connector; names only.',
    params,
    responses: { 200: { description: 'They.', schema: z.object({ principals: z.array(CredentialHolder) }) } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  removeCredentialsOf: {
    method: 'DELETE',
    path: '/api/connectors/:name/credentials/principals/:principal',
    summary: 'Forgets the values and the sign-in of a principal.',
    params: params.extend({ principal: z.string().describe('For example user:ann.') }),
    responses: { 204: { description: 'They are gone.' } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
} as const satisfies Record<string, ApiOperation>

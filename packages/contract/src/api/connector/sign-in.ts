import { z } from 'zod'

import { SignInStep } from '../../connector/connector.ts'
import { SignInRequest } from '../../connector/credential.ts'
import type { ApiOperation } from '../operation.ts'

const params = z.object({ name: z.string().describe('Name of a connector.') })

export const signInOperations = {
  signInToConnector: {
    method: 'POST',
    path: '/api/connectors/:name/sign-in',
    role: 'member',
    summary: 'Begins a sign-in to the server. A person finishes it at the given URL; signIn of the connector tells.',
    params,
    body: SignInRequest.optional(),
    responses: { 200: { description: 'What it needs next.', schema: SignInStep } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  signOutOfConnector: {
    method: 'POST',
    path: '/api/connectors/:name/sign-out',
    role: 'member',
    summary: 'Forgets the tokens and the registration of a sign-in.',
    params,
    responses: { 204: { description: 'They are gone.' } },
    errors: ['CONNECTOR_NOT_FOUND'],
  },
  followSignInLink: {
    method: 'GET',
    path: '/api/sign-in/:id',
    role: 'public',
    summary: 'Where the link leads that a client shows its person: on to the authorization server.',
    params: z.object({ id: z.string().max(128) }),
    responses: { 302: { description: 'The page of the authorization server.' } },
  },
  finishSignIn: {
    method: 'GET',
    path: '/api/oauth/callback',
    role: 'public',
    summary: 'Where an authorization server sends a person back to; answers with a page.',
    query: z.object({
      state: z.string().max(512).default(''),
      code: z.string().max(8192).optional(),
      iss: z.string().max(2048).optional(),
      error: z.string().max(256).optional(),
      error_description: z.string().max(2048).optional(),
    }),
    responses: { 200: { description: 'A page that says what happened.' } },
  },
} as const satisfies Record<string, ApiOperation>

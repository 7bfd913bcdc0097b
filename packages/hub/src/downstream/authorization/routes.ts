import { HubError, SignInStep } from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type ApiAnswer, type Route } from '../../platform/http/index.ts'
import { callbackPage } from './callback-page.ts'
import type { SignInService } from './sign-in-desk.ts'

const params = z.object({ name: z.string().describe('Name of a connector.') })

/** Where authorization servers send people back to. */
export const callbackPath = '/api/oauth/callback'

/** Signing in to the servers of connectors. */
export function signInRoutes(service: SignInService): Route[] {
  return [
    defineRoute({
      id: 'signInToConnector',
      method: 'POST',
      path: '/api/connectors/:name/sign-in',
      summary: 'Begins a sign-in to the server. A person finishes it at the given URL; signIn of the connector tells.',
      params,
      responses: { 200: { description: 'What it needs next.', schema: SignInStep } },
      handle: async ({ params: { name } }) => ({ status: 200, body: await service.signIn(name) }),
    }),
    defineRoute({
      id: 'signOutOfConnector',
      method: 'POST',
      path: '/api/connectors/:name/sign-out',
      summary: 'Forgets the tokens and the registration of a sign-in.',
      params,
      responses: { 204: { description: 'They are gone.' } },
      handle: async ({ params: { name } }) => {
        await service.signOut(name)
        return { status: 204 }
      },
    }),
    defineRoute({
      id: 'finishSignIn',
      method: 'GET',
      path: callbackPath,
      summary: 'Where an authorization server sends a person back to; answers with a page.',
      query: z.object({
        state: z.string().max(512).default(''),
        code: z.string().max(8192).optional(),
        iss: z.string().max(2048).optional(),
        error: z.string().max(256).optional(),
        error_description: z.string().max(2048).optional(),
      }),
      responses: { 200: { description: 'A page that says what happened.' } },
      handle: async ({ query: { state, error_description: errorDescription, ...rest } }) => {
        try {
          const name = await service.finish(state, { ...rest, errorDescription })
          return page(200, `Herma is signed in to '${name}'. You can close this page.`)
        } catch (error) {
          if (!(error instanceof HubError)) throw error
          return page(400, error.message)
        }
      },
    }),
  ]
}

function page(status: number, text: string): ApiAnswer {
  return {
    status,
    page: callbackPage(status === 200, text),
    headers: {
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      // The address holds the code.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  }
}

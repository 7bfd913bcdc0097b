import { HubError, SignInRequest, SignInStep } from '@herma/contract'
import { z } from 'zod'

import { defineRoute, type ApiAnswer, type Route } from '../../platform/http/index.ts'
import { callbackPage } from './callback-page.ts'
import type { SignInService } from './sign-in-desk.ts'
import { signInPath } from './sign-in-links.ts'

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
      body: SignInRequest.optional(),
      responses: { 200: { description: 'What it needs next.', schema: SignInStep } },
      handle: async ({ params: { name }, body, principal }) => ({
        status: 200,
        body: await service.signIn(name, principal, body?.principal),
      }),
    }),
    defineRoute({
      id: 'signOutOfConnector',
      method: 'POST',
      path: '/api/connectors/:name/sign-out',
      summary: 'Forgets the tokens and the registration of a sign-in.',
      params,
      responses: { 204: { description: 'They are gone.' } },
      handle: async ({ params: { name }, principal }) => {
        await service.signOut(name, principal)
        return { status: 204 }
      },
    }),
    ...pageRoutes(service),
  ]
}

/** Pages for browsers. They are public, because only their handlers know who may see which. */
function pageRoutes(service: SignInService): Route[] {
  return [
    defineRoute({
      id: 'followSignInLink',
      method: 'GET',
      path: `${signInPath}/:id`,
      isPublic: true,
      summary: 'Where the link leads that a client shows its person: on to the authorization server.',
      params: z.object({ id: z.string().max(128) }),
      responses: { 302: { description: 'The page of the authorization server.' } },
      handle: ({ params: { id }, principal }) =>
        pageOf(async () => {
          const { url, name } = await service.follow(id, principal)
          if (url === null) return page(200, `Herma is signed in to '${name}'. You can close this page.`)
          return { status: 302, headers: { ...pageHeaders, location: url } }
        }),
    }),
    defineRoute({
      id: 'finishSignIn',
      method: 'GET',
      path: callbackPath,
      isPublic: true,
      summary: 'Where an authorization server sends a person back to; answers with a page.',
      query: z.object({
        state: z.string().max(512).default(''),
        code: z.string().max(8192).optional(),
        iss: z.string().max(2048).optional(),
        error: z.string().max(256).optional(),
        error_description: z.string().max(2048).optional(),
      }),
      responses: { 200: { description: 'A page that says what happened.' } },
      handle: ({ query: { state, error_description: errorDescription, ...rest }, principal }) =>
        pageOf(async () => {
          const name = await service.finish(state, { ...rest, errorDescription }, principal)
          return page(200, `Herma is signed in to '${name}'. You can close this page.`)
        }),
    }),
  ]
}

async function pageOf(make: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return page(error.code === 'FORBIDDEN' ? 403 : 400, error.message)
  }
}

const pageHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  // The address holds the code, or the link.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function page(status: number, text: string): ApiAnswer {
  return { status, page: callbackPage(status === 200, text), headers: pageHeaders }
}

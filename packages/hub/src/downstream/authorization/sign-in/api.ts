import { HubError } from '@herma/contract'
import { signInOperations } from '@herma/contract/api'
import { Reply, type Route, serve } from '../../../platform/http/index.ts'
import { callbackPage } from './callback-page.ts'
import type { SignIns } from './sign-ins.ts'

/** Where authorization servers send people back to. */
export const callbackPath = signInOperations.finishSignIn.path

/** Signing in to the servers of connectors. */
export function signInApi(service: SignIns): Route[] {
  return serve(signInOperations, {
    signInToConnector: ({ params: { name }, body, principal }) => service.signIn(name, principal, body?.principal),
    signOutOfConnector: ({ params: { name }, principal }) => service.signOut(name, principal),
    followSignInLink: ({ params: { id }, principal }) =>
      pageOf(async () => {
        const { url, name } = await service.follow(id, principal)
        if (url === null) return page(200, `Herma is signed in to '${name}'. You can close this page.`)
        return new Reply(undefined, { headers: { ...pageHeaders, location: url } })
      }),
    finishSignIn: ({ query: { state, error_description: errorDescription, ...rest }, principal }) =>
      pageOf(async () => {
        const name = await service.finish(state, { ...rest, errorDescription }, principal)
        return page(200, `Herma is signed in to '${name}'. You can close this page.`)
      }),
  })
}

async function pageOf(make: () => Promise<Reply>): Promise<Reply> {
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

function page(status: number, text: string): Reply {
  return new Reply(undefined, { status, page: callbackPage(status === 200, text), headers: pageHeaders })
}

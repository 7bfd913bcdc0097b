import type { Auth, AuthAnswer, AuthOutcome, AuthRequest, Principal } from '../auth.ts'

/** A request as a transport hands it to an `Auth`, with this Authorization header or none. */
export function requestWith(authorization?: string, url = 'https://mcp.example.com/mcp', method = 'POST'): AuthRequest {
  const header = (name: string) => (name.toLowerCase() === 'authorization' ? authorization : undefined)
  return { method, url: new URL(url), server: 'notes', header }
}

/** What becomes of a request with this token. */
export async function present(auth: Auth, token: string): Promise<AuthOutcome> {
  return auth.authenticate(requestWith(`Bearer ${token}`))
}

export async function principalFor(auth: Auth, token: string): Promise<Principal> {
  const outcome = await present(auth, token)
  if ('principal' in outcome) return outcome.principal
  throw new Error(`Refused with ${outcome.refused.status}: ${outcome.refused.body}`)
}

export async function refusalFor(auth: Auth, token: string): Promise<AuthAnswer> {
  return refusalOf(await present(auth, token))
}

export function refusalOf(outcome: AuthOutcome): AuthAnswer {
  if ('refused' in outcome) return outcome.refused
  throw new Error(`'${outcome.principal.id}' was let in.`)
}

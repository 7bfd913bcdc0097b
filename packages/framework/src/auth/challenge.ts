import type { AuthAnswer } from './auth.ts'

/** What a challenge says besides the error: where to learn about the issuers, or a realm. */
export interface ChallengeBase {
  readonly resource_metadata?: string
  readonly realm?: string
}

export interface ChallengeError {
  /** Without a code when the request had no token: https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly description: string
  readonly scopes: readonly string[]
}

/** The answer that tells a client which token it needs, as the authorization pages of MCP lay it out. */
export function challengeAnswer(base: ChallengeBase, { error, description, scopes }: ChallengeError): AuthAnswer {
  const parameters = Object.entries({
    ...base,
    error,
    error_description: error === undefined ? undefined : description,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${quotable(value)}"`]))
  return {
    status: error === 'insufficient_scope' ? 403 : 401,
    headers: { ...jsonHeaders, 'www-authenticate': ['Bearer', parameters.join(', ')].join(' ').trim() },
    body: JSON.stringify({ error, error_description: description }),
  }
}

/** The answer when a token could not be checked. */
export function unavailableAnswer(): AuthAnswer {
  const description = `The access token could not be checked right now. Try again in ${retryAfterS} seconds.`
  return {
    status: 503,
    headers: { ...jsonHeaders, 'retry-after': String(retryAfterS) },
    body: JSON.stringify({ error: 'temporarily_unavailable', error_description: description }),
  }
}

/** How long a failure of the issuer is remembered before it is asked again. */
export const retryAfterS = 5

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' }

// Scopes may come from anywhere in the author's code; a quote or a line break must not end the header early.
function quotable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]|["\\]/g, '')
}

import { resourceMetadataUrl } from './metadata.ts'
import { adminScope, type ServedResource } from './served-resource.ts'

/** Why a request is refused; absent when it had no token at all. */
export interface ChallengeError {
  readonly code: 'invalid_token' | 'insufficient_scope'
  readonly description: string
  /** All scopes that the request needs, so that one more round is enough. */
  readonly scopes?: readonly string[]
}

/** The value of WWW-Authenticate: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization */
export function challengeOf(resource: ServedResource, error?: ChallengeError): string {
  const scopes = error?.scopes ?? [resource.server === null || resource.isManagement === true ? adminScope : 'mcp']
  const parameters = {
    ...(error === undefined ? {} : { error: error.code, error_description: error.description }),
    scope: scopes.join(' '),
    resource_metadata: resourceMetadataUrl(resource.url),
  }
  const list = Object.entries(parameters).map(([name, value]) => `${name}="${quotable(value)}"`)
  return `Bearer ${list.join(', ')}`
}

// A quote or a line break must not end the header early.
function quotable(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]|["\\]/g, '')
}

import { isNestedTooDeep } from '@herma/framework/wire'
import { allScopes, offlineScope, type ServedResource } from '../resource/served-resource.ts'

/**
 * Fills in what older clients leave out of an authorization request. Without a resource the token would be good for
 * nothing; without a refresh token people would sign in again every few minutes, and which ones we issue is up to us.
 */
export function completeAuthorization(query: URLSearchParams, resources: readonly ServedResource[]): void {
  const [first] = resources
  if (!query.has('resource') && first !== undefined) query.set('resource', first.url)
  const asked = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
  const scopes = asked.length === 0 ? ['mcp'] : asked
  query.set('scope', [...new Set([...scopes, offlineScope])].join(' '))
}

/**
 * The metadata of a client that registers itself, as better-auth accepts it; null when it is no object.
 * Clients from before 2026 do not say that they are native, and ask for scopes of other servers.
 */
export function completeRegistration(text: string): Record<string, unknown> | null {
  // What is nested without end would be written out again by functions that call themselves.
  if (isNestedTooDeep(Buffer.from(text))) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  // The hub would post to this address whenever somebody signs out, wherever its name leads by then.
  const { scope, backchannel_logout_uri: _, ...metadata } = value as Record<string, unknown>
  const scopes = typeof scope === 'string' ? scope.split(' ').filter((word) => allScopes.includes(word)) : []
  const redirects = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : []
  const isNative = redirects.some((uri) => typeof uri === 'string' && !uri.startsWith('https:'))
  return {
    ...metadata,
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
    ...(metadata.application_type === undefined && isNative ? { application_type: 'native' } : {}),
  }
}

import { createHash } from 'node:crypto'
import { IssuerUnavailable } from '../auth-failure.ts'
import type { Claims } from './claims.ts'
import { ExpiringMap } from '../../buffer/expiring-map.ts'
import { fetchJson } from './fetch-json.ts'
import type { Issuer } from './issuer.ts'

/** How an issuer is asked about opaque tokens, and as which client. */
export interface IntrospectionOptions {
  /** Taken from the issuer's metadata when absent. */
  readonly url?: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Asks the issuer about a token; undefined says that it is not active. */
export type Introspect = (token: string) => Promise<Claims | undefined>

const activeMs = 60_000
const inactiveMs = 10_000
const maxRemembered = 5_000
const maxAtOnce = 100

/**
 * Introspection by https://www.rfc-editor.org/rfc/rfc7662 with answers remembered for up to a minute.
 * A revoked token works until its remembered answer ends.
 */
export function openIntrospection(issuer: Issuer, options: IntrospectionOptions): Introspect {
  // Apart, so that a flood of invented tokens cannot push out the answers about good ones.
  const active = new ExpiringMap<Claims>(maxRemembered)
  const inactive = new ExpiringMap<true>(maxRemembered)
  const asked = new Map<string, Promise<Claims | undefined>>()

  const ask = async (token: string, key: string) => {
    const claims = await requestClaims(issuer, options, token)
    if (claims === undefined) inactive.set(key, true, Date.now() + inactiveMs)
    else active.set(key, claims, Math.min(Date.now() + activeMs, expiryMs(claims)))
    return claims
  }

  return async (token) => {
    const key = createHash('sha256').update(token).digest('base64')
    const known = active.get(key)
    if (known !== undefined) return known
    if (inactive.get(key) === true) return undefined
    const pending = asked.get(key)
    if (pending !== undefined) return pending
    if (asked.size >= maxAtOnce) throw new IssuerUnavailable(`'${issuer.id}' is asked about too many tokens at once.`)
    const answer = ask(token, key).finally(() => asked.delete(key))
    asked.set(key, answer)
    return answer
  }
}

async function requestClaims(
  issuer: Issuer,
  options: IntrospectionOptions,
  token: string,
): Promise<Claims | undefined> {
  const { url, usesForm } = await endpointOf(issuer, options)
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' })
  const headers: Record<string, string> = {}
  if (usesForm) {
    form.set('client_id', options.clientId)
    form.set('client_secret', options.clientSecret)
  } else {
    const credentials = `${formEncode(options.clientId)}:${formEncode(options.clientSecret)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  }
  const answer = await fetchJson(url, { form, headers })
  if (typeof answer !== 'object' || answer === null || !('active' in answer) || typeof answer.active !== 'boolean') {
    throw new IssuerUnavailable(`${url.origin}${url.pathname} answered without saying whether the token is active.`)
  }
  return answer.active ? { ...answer } : undefined
}

async function endpointOf(issuer: Issuer, { url }: IntrospectionOptions): Promise<{ url: URL; usesForm: boolean }> {
  if (url !== undefined) return { url: new URL(url), usesForm: false }
  const { introspectionEndpoint, introspectionAuthMethods: methods } = await issuer.metadata()
  if (introspectionEndpoint === undefined) {
    throw new IssuerUnavailable(`'${issuer.id}' publishes no introspection_endpoint. Give it with introspection.url.`)
  }
  const usesForm = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic')
  return { url: introspectionEndpoint, usesForm }
}

// The parts of Basic credentials are encoded as in a form: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function expiryMs(claims: Claims): number {
  return typeof claims.exp === 'number' ? claims.exp * 1000 : Number.POSITIVE_INFINITY
}

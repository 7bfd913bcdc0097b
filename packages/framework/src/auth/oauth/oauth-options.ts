import { inspect } from 'node:util'
import { ConfigError } from '../../protocol/errors.ts'
import type { Principal } from '../auth.ts'
import type { Claims } from './claims.ts'
import type { IntrospectionOptions } from './introspect.ts'
import { isSecure } from './secure-url.ts'

/** Whose access tokens count, and for what. */
export interface OAuthOptions {
  /** The URL of the MCP endpoint as clients write it; tokens must be issued for it. */
  readonly resource: string
  /** Whose tokens count, each spelt exactly as the issuer spells itself. */
  readonly issuer: string | readonly string[]
  /** What `aud` must contain one of, for issuers that do not put the resource there. */
  readonly audience?: string | readonly string[]
  /** Where the keys of the only issuer are; `discover` asks the issuer. */
  readonly jwks?: 'discover' | (string & {})
  /** For opaque tokens of the only issuer. */
  readonly introspection?: IntrospectionOptions
  /** Replaces all checks but expiry and scopes: it must check that the token was issued for this server. */
  readonly verify?: (token: string) => Principal | undefined | Promise<Principal | undefined>
  /** Required of every request. */
  readonly scopes?: readonly string[]
  /** What clients ask for at first; `scopes` when absent. */
  readonly scopesSupported?: readonly string[]
  /** How far clocks may differ; 30 when absent. */
  readonly clockSkewS?: number
  readonly resourceName?: string
  readonly documentationUrl?: string
  /** Makes another principal out of the usual one, for example with scopes that follow from a role. */
  readonly principalOf?: (claims: Claims, usual: Principal) => Principal | Promise<Principal>
}

export interface OAuthSettings {
  readonly issuers: readonly string[]
  readonly audiences: readonly string[]
  readonly jwks: string
  readonly clockSkewS: number
}

/** Fills in what was left out, and refuses what could only fail later. */
export function readOAuthOptions(options: OAuthOptions): OAuthSettings {
  const issuers = [...new Set([options.issuer].flat())]
  const { resource, jwks = 'discover', clockSkewS = 30, documentationUrl } = options
  if (!isWebUrl(resource) || resource.includes('#')) {
    throw problem('resource', resource, 'Write the URL of the MCP endpoint, such as https://mcp.example.com/mcp.')
  }
  if (issuers.length === 0) throw problem('issuer', [], 'Name at least one authorization server.')
  for (const issuer of issuers) {
    if (isSecure(issuer) && !/[?#]/.test(issuer)) continue
    throw problem('issuer', issuer, 'Write an https URL (http for this machine only) without query and fragment.')
  }
  if (jwks !== 'discover' && !isSecure(jwks)) throw problem('jwks', jwks, secureUrl)
  if (documentationUrl !== undefined && !isWebUrl(documentationUrl)) {
    throw problem('documentationUrl', documentationUrl, 'Write an https URL.')
  }
  if (!(clockSkewS >= 0 && clockSkewS <= 300)) throw problem('clockSkewS', clockSkewS, 'Write 0 to 300 seconds.')
  checkScopes(options)
  checkIntrospection(options)
  checkCombination(options, issuers)
  return { issuers, audiences: [options.audience ?? resource].flat(), jwks, clockSkewS }
}

const secureUrl = 'Write an https URL (http for this machine only) without user and password.'

function checkScopes({ scopes = [], scopesSupported = [] }: OAuthOptions): void {
  for (const scope of [...scopes, ...scopesSupported]) {
    if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) continue
    throw problem('scope', scope, 'One scope is one word of ASCII without quotes and backslashes.')
  }
}

function checkIntrospection({ introspection }: OAuthOptions): void {
  if (introspection === undefined) return
  const { url, clientId, clientSecret } = introspection
  if (url !== undefined && !isSecure(url)) throw problem('introspection.url', url, secureUrl)
  if (clientId && clientSecret) return
  throw new ConfigError(
    'introspection of oauth() needs clientId and clientSecret.',
    'Register this server as a confidential client, and check that its environment variables are set.',
  )
}

function checkCombination(
  { jwks = 'discover', introspection, verify }: OAuthOptions,
  issuers: readonly string[],
): void {
  const isFixed = jwks !== 'discover' || introspection !== undefined
  if (verify !== undefined && isFixed) {
    throw new ConfigError('verify of oauth() replaces jwks and introspection.', 'Leave them out, or leave verify out.')
  }
  // The keys of one issuer must not sign for another one, nor may one issuer see the tokens of another one.
  if (isFixed && issuers.length > 1) {
    throw new ConfigError(
      'jwks and introspection of oauth() belong to one issuer, but there are several.',
      'Leave jwks out to have the keys of each issuer discovered, or write verify.',
    )
  }
}

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function problem(option: string, value: unknown, fix: string): ConfigError {
  // A password inside a URL is the one secret that these values can hold.
  const shown = inspect(value).replace(/\/\/[^/@]*@/, '//…@')
  return new ConfigError(`The ${option} ${shown} of oauth() cannot be used.`, fix)
}

import { IssuerUnavailable } from '../auth-failure.ts'
import { fetchJson } from './fetch-json.ts'
import { isSecure } from './secure-url.ts'

/** What a resource server has to know of an issuer. */
export interface IssuerMetadata {
  readonly jwksUri: URL | undefined
  readonly introspectionEndpoint: URL | undefined
  readonly introspectionAuthMethods: readonly unknown[] | undefined
}

const timeoutMs = 8_000

/** Reads an issuer's metadata from the first of its well-known addresses that has a document of this very issuer. */
export async function discoverIssuer(issuer: string): Promise<IssuerMetadata> {
  const signal = AbortSignal.timeout(timeoutMs)
  const problems: string[] = []
  for (const url of wellKnownUrls(issuer)) {
    try {
      return readMetadata(issuer, url, await fetchJson(url, { signal }))
    } catch (error) {
      if (!(error instanceof IssuerUnavailable)) throw error
      problems.push(error.message)
    }
  }
  throw new IssuerUnavailable(
    `No usable metadata of the issuer '${issuer}' was found. ${problems.join(' ')} ` +
      "Check that it is up and spelt as it spells itself, or give its keys with 'jwks'.",
  )
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery */
function wellKnownUrls(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const paths = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`]
  if (path !== '') paths.push(`${path}/.well-known/openid-configuration`)
  return paths.map((each) => new URL(each, origin))
}

function readMetadata(issuer: string, from: URL, document: unknown): IssuerMetadata {
  const metadata = (typeof document === 'object' && document !== null ? document : {}) as Record<string, unknown>
  // Compared as it is written, or a document could speak for somebody else.
  if (metadata.issuer !== issuer) {
    const named = typeof metadata.issuer === 'string' ? `'${metadata.issuer.slice(0, 200)}'` : 'no issuer'
    throw new IssuerUnavailable(`${from.href} names ${named}.`)
  }
  const methods = metadata.introspection_endpoint_auth_methods_supported
  return {
    jwksUri: readUrl(metadata, 'jwks_uri', from),
    introspectionEndpoint: readUrl(metadata, 'introspection_endpoint', from),
    introspectionAuthMethods: Array.isArray(methods) ? methods : undefined,
  }
}

function readUrl(metadata: Record<string, unknown>, field: string, from: URL): URL | undefined {
  const value = metadata[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && isSecure(value)) return new URL(value)
  throw new IssuerUnavailable(`${from.href} has a ${field} that is no https URL.`)
}

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { retryAfterS } from '../challenge.ts'
import { discoverIssuer, type IssuerMetadata } from './discover-issuer.ts'
import { fetchJson } from './fetch-json.ts'

/** An authorization server that tokens may come from. Nothing is fetched before the first token. */
export interface Issuer {
  readonly id: string
  metadata(): Promise<IssuerMetadata>
  /** Undefined when the issuer publishes none: its tokens must be introspected. */
  keys(): Promise<JWTVerifyGetKey | undefined>
}

const freshMs = 3_600_000

export function openIssuer(id: string, jwks: string): Issuer {
  const metadata = remember(() => discoverIssuer(id), { freshMs, failedMs: retryAfterS * 1000 })
  let open: { readonly href: string; readonly keys: JWTVerifyGetKey } | undefined
  const keysAt = (url: URL) => {
    // The cached keys stay while their address does.
    if (open?.href !== url.href) open = { href: url.href, keys: openKeySet(url) }
    return open.keys
  }
  return {
    id,
    metadata,
    async keys() {
      const url = jwks === 'discover' ? (await metadata()).jwksUri : new URL(jwks)
      return url === undefined ? undefined : keysAt(url)
    },
  }
}

const maxAgeMs = 600_000
const cooldownMs = 30_000

/** The public keys behind an address: fetched when needed, again for an unknown key, but not for every unknown key. */
function openKeySet(url: URL): JWTVerifyGetKey {
  // jose waits between fetches after a success only; while the address is down each request would try.
  const fetchKeys = remember(() => fetchJson(url), { freshMs: 0, failedMs: retryAfterS * 1000 })
  return createRemoteJWKSet(url, {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: cooldownMs,
    [customFetch]: async () => Response.json(await fetchKeys()),
  })
}

interface RememberOptions {
  readonly freshMs: number
  readonly failedMs: number
}

/**
 * Loads once for everybody who asks meanwhile, and keeps the result for `freshMs`.
 * A failure is kept too, for `failedMs`, so that requests do not hammer what is down.
 */
function remember<Value>(load: () => Promise<Value>, options: RememberOptions): () => Promise<Value> {
  let kept: { readonly value: Promise<Value>; until: number } | undefined
  return () => {
    if (kept !== undefined && Date.now() < kept.until) return kept.value
    const loading = { value: load(), until: Number.POSITIVE_INFINITY }
    kept = loading
    loading.value.then(
      () => (loading.until = Date.now() + options.freshMs),
      () => (loading.until = Date.now() + options.failedMs),
    )
    return loading.value
  }
}

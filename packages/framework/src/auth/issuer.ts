import type { JWTVerifyGetKey } from 'jose'
import { retryAfterS } from './challenge.ts'
import { discoverIssuer, type IssuerMetadata } from './discover-issuer.ts'
import { openKeySet } from './key-set.ts'
import { remember } from './remember.ts'

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

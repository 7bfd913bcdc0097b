import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { retryAfterS } from './challenge.ts'
import { fetchJson } from './fetch-json.ts'
import { remember } from './remember.ts'

const maxAgeMs = 600_000
const cooldownMs = 30_000

/** The public keys behind an address: fetched when needed, again for an unknown key, but not for every unknown key. */
export function openKeySet(url: URL): JWTVerifyGetKey {
  // jose waits between fetches after a success only; while the address is down each request would try.
  const fetchKeys = remember(() => fetchJson(url), { freshMs: 0, failedMs: retryAfterS * 1000 })
  return createRemoteJWKSet(url, {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: cooldownMs,
    [customFetch]: async () => Response.json(await fetchKeys()),
  })
}

import { HubError } from '@herma/contract'
import { z } from 'zod'
import type { ProviderEndpoints } from './store.ts'

const timeoutMs = 5000
const maxBytes = 262_144

const Discovery = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url({ protocol: /^https?$/ }),
  token_endpoint: z.url({ protocol: /^https?$/ }),
  jwks_uri: z.url({ protocol: /^https?$/ }),
})

/** Asks an identity provider where it does what. Throws PROVIDER_UNAVAILABLE, naming the cause. */
export async function discoverProvider(issuer: string): Promise<ProviderEndpoints> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = Discovery.safeParse(await fetchJson(url))
  if (!document.success) throw unusable(url, 'is no OpenID configuration')
  const found = document.data
  if (found.issuer !== issuer) throw unusable(url, `names the issuer '${found.issuer}'. Write the issuer exactly so`)
  return {
    authorization: found.authorization_endpoint,
    token: found.token_endpoint,
    keys: found.jwks_uri,
  }
}

async function fetchJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const text = await response.text()
    if (text.length > maxBytes) throw new Error('too long')
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw unusable(url, `could not be read (${(cause as Error).message})`, cause)
  }
}

function unusable(url: string, what: string, cause?: unknown): HubError {
  return new HubError('PROVIDER_UNAVAILABLE', `${url} ${what}. Check the issuer, and that the hub can reach it.`, {
    cause,
  })
}

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'

export interface IdentityProvider extends AsyncDisposable {
  readonly url: string
  /** Claims of whoever signs in next. */
  person: JWTPayload
  /** Signs an access token, as an issuer of tokens would. */
  sign(claims: JWTPayload, expiresIn?: string): Promise<string>
}

/** OpenID Connect in small: everybody who comes is signed in at once as `person`. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
  const challenges = new Map<string, string>()
  let url = ''
  const sign = (claims: JWTPayload, expiresIn = '5m') =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(url)
      .setIssuedAt()
      .setExpirationTime(expiresIn)
      .sign(privateKey)
  const provider = { person: {} as JWTPayload }

  const answer = async (request: IncomingMessage): Promise<{ location: string } | object | null> => {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    if (pathname === '/.well-known/openid-configuration')
      return {
        issuer: url,
        authorization_endpoint: `${url}/go`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
      }
    if (pathname === '/keys') return { keys: [jwk] }
    if (pathname === '/go') {
      const code = String(challenges.size + 1)
      challenges.set(code, searchParams.get('code_challenge') ?? '')
      return { location: `${searchParams.get('redirect_uri')}?code=${code}&state=${searchParams.get('state')}` }
    }
    if (pathname !== '/token') return null
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (challenges.get(form.get('code') ?? '') !== verifier) return null
    const idToken = await sign({ aud: 'herma', ...provider.person })
    return { access_token: 'opaque', token_type: 'Bearer', id_token: idToken }
  }

  const server = createServer((request, response) => {
    void answer(request).then((body) => {
      if (body === null) return response.writeHead(404).end()
      if ('location' in body) return response.writeHead(302, { location: body.location }).end()
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(provider, {
    url,
    sign,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OAuthClient } from '../../../packages/hub/src/access/authority/testing/oauth-client.ts'
import { startAttackHub, type AttackHub } from './start-attack-hub.ts'

let hub: AttackHub
let victim: Server
let port = 0
let visits = 0

beforeAll(async () => {
  victim = createServer((socket) => {
    visits++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(victim, 'listening')
  port = (victim.address() as AddressInfo).port
  hub = await startAttackHub()
})
afterAll(async () => {
  await hub.stop()
  victim.close()
})

const places = () =>
  ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '2130706433', '0x7f.1', '0.0.0.0'].map(
    (host) => `https://${host}:${port}`,
  )

test('a client that names a document on the network of the hub makes it ask nobody', async () => {
  for (const place of [...places(), 'https://169.254.169.254', `http://127.0.0.1:${port}`]) {
    const client = new OAuthClient(hub.url, `${place}/client.json`)
    const { status } = await hub.ask(client.authorizeUrl().slice(hub.url.length))
    expect(status).not.toBe(500)
    await client.redeem('x')
  }
  expect(visits).toBe(0)
})

test('a client that registers addresses on the network of the hub makes it ask nobody', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  for (const place of [...places(), `http://127.0.0.1:${port}`]) {
    const client = new OAuthClient(hub.url)
    await client.register({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: `${place}/keys`,
      logo_uri: `${place}/logo`,
      sector_identifier_uri: `${place}/sector`,
      policy_uri: `${place}/policy`,
    })
    const assertion = await new SignJWT({ jti: place })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', jwk: await exportJWK(publicKey) })
      .setIssuer(client.clientId)
      .setSubject(client.clientId)
      .setAudience([hub.url, `${hub.url}/auth/oauth2/token`])
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey)
    const { status } = await client.token({
      grant_type: 'authorization_code',
      code: 'x',
      redirect_uri: 'http://127.0.0.1:33418/callback',
      code_verifier: client.verifier,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    })
    expect(status).toBeGreaterThanOrEqual(400)
  }
  expect(visits).toBe(0)
})

test('a token that names an issuer on the network of the hub makes it ask nobody', async () => {
  const { privateKey } = await generateKeyPair('ES256')
  for (const place of [...places(), `http://127.0.0.1:${port}`]) {
    const token = await new SignJWT({ scope: 'mcp' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', jku: `${place}/keys`, x5u: `${place}/cert` })
      .setIssuer(place)
      .setAudience(`${hub.url}/mcp`)
      .setExpirationTime('1m')
      .sign(privateKey)
    const { status } = await hub.ask('/mcp', { headers: { authorization: `Bearer ${token}` } })
    expect(status).toBe(401)
  }
  expect(visits).toBe(0)
})

test('where a sign-in may lead back to is no script and no other site', async () => {
  for (const uri of [
    'javascript:alert(1)//',
    'data:text/html,x',
    'https://evil.example/#fragment',
    'vbscript:x',
    'file:///etc/passwd',
    'http://evil.example/',
  ]) {
    const response = await new OAuthClient(hub.url).register({ redirect_uris: [uri] })
    expect([uri, response.status]).toEqual([uri, 400])
  }
  const client = await hub.client()
  const { headers, status } = await hub.ask(
    client.authorizeUrl({ redirect_uri: 'https://evil.example/' }).slice(hub.url.length),
  )
  expect(status).not.toBe(500)
  expect(headers['location'] ?? '').not.toMatch(/^https:\/\/evil\.example/)
})

test('a client that registers itself gets no say over the hub: neither where it posts to, nor whom it asks', async () => {
  const client = new OAuthClient(hub.url)
  for (const wish of [
    { backchannel_logout_uri: 'https://inside.example/steal' },
    { skip_consent: true },
    { require_pkce: false },
    { trusted: true, user_id: 'x' },
  ]) {
    const response = await client.register(wish)
    const answer = JSON.parse(await response.text()) as object
    for (const [name, value] of Object.entries(wish)) expect(answer).not.toHaveProperty(name, value)
    if (response.status !== 201) continue
    const browser = await hub.user(`for-${Object.keys(wish)[0]!.replaceAll('_', '-')}`, 'member')
    await browser.open(client.authorizeUrl())
    expect(browser.page!.url.pathname).toBe('/consent')
    await browser.open(client.authorizeUrl({ code_challenge: null, code_challenge_method: null }))
    expect(browser.page!.url.searchParams.get('code')).toBeNull()
  }
})

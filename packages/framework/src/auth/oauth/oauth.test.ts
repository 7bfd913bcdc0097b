import { createHmac } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { oauth } from './oauth.ts'
import { HeardEvents } from '../testing/hear-events.ts'
import { present, principalFor, refusalFor, refusalOf, requestWith } from '../testing/requests.ts'
import { TestIssuer } from '../testing/test-issuer.ts'

const resource = 'https://mcp.example.com/mcp'
const metadataPath = '/.well-known/oauth-authorization-server'

afterEach(() => void vi.useRealTimers())

/** Only the clock: sockets keep their real timers. */
function moveClock(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

test('a token of the issuer for this resource names its principal', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({ resource, issuer: issuer.url })
  const token = await issuer.sign(resource, {
    scope: 'notes:read notes:write',
    client_id: 'editor',
    exp: 4_000_000_000,
  })
  expect(await principalFor(auth, token)).toMatchObject({
    id: `${issuer.url}#ada`,
    scopes: ['notes:read', 'notes:write'],
    clientId: 'editor',
    expiresAt: 4_000_000_000,
    claims: { sub: 'ada' },
  })
})

test('a client that acts for nobody is the principal itself, and scp counts as scopes', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({ resource, issuer: issuer.url })
  const token = await issuer.sign(resource, { sub: undefined, azp: 'robot', scp: ['run'] })
  expect(await principalFor(auth, token)).toMatchObject({ id: `${issuer.url}#robot`, scopes: ['run'] })
  expect((await refusalFor(auth, await issuer.sign(resource, { sub: undefined }))).status).toBe(401)
})

test('principalOf may change the usual principal', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({
    resource,
    issuer: issuer.url,
    scopes: ['notes:read'],
    principalOf: (claims, usual) => ({ ...usual, scopes: claims.role === 'owner' ? ['notes:read'] : [] }),
  })
  expect((await principalFor(auth, await issuer.sign(resource, { role: 'owner' }))).scopes).toEqual(['notes:read'])
  expect((await refusalFor(auth, await issuer.sign(resource, { role: 'guest' }))).status).toBe(403)
})

test('requests without a token are told where to get one, without an error code', async () => {
  using events = new HeardEvents()
  const auth = oauth({ resource, issuer: 'https://auth.example.com', scopes: ['notes:read'] })
  for (const header of [undefined, 'Basic YWRhOmxvdmU=']) {
    const refused = refusalOf(await auth.authenticate(requestWith(header)))
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="notes:read"',
    )
  }
  expect(events.auth).toEqual([
    { server: 'notes', outcome: 'missing', status: 401 },
    { server: 'notes', outcome: 'missing', status: 401 },
  ])
})

test('a token in the query is no token', async () => {
  await using issuer = await TestIssuer.start()
  const token = await issuer.sign(resource)
  const auth = oauth({ resource, issuer: issuer.url })
  const refused = refusalOf(await auth.authenticate(requestWith(undefined, `${resource}?access_token=${token}`)))
  expect(refused.status).toBe(401)
  expect(refused.headers['www-authenticate']).not.toContain('error')
  expect(issuer.requests).toEqual([])
})

test('every kind of bad token is refused with 401 invalid_token and its outcome', async () => {
  await using issuer = await TestIssuer.start()
  await using stranger = await TestIssuer.start()
  const auth = oauth({ resource, issuer: issuer.url, clockSkewS: 10 })
  const now = Math.floor(Date.now() / 1000)
  const [key] = issuer.keys
  const unsigned = (header: object) =>
    [header, { iss: issuer.url, aud: resource, sub: 'ada', exp: now + 60 }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
  const hs256 = unsigned({ alg: 'HS256', kid: key?.kid })
  const publicKey = JSON.stringify(key?.publicJwk)
  const bad: Record<string, readonly [token: string, outcome: string]> = {
    expired: [await issuer.sign(resource, { exp: now - 60 }), 'expired'],
    'not yet valid': [await issuer.sign(resource, { nbf: now + 60 }), 'invalid'],
    'without end': [await issuer.sign(resource, { exp: undefined }), 'invalid'],
    'for another server': [await issuer.sign('https://other.example.com/mcp'), 'audience'],
    'for the origin only': [await issuer.sign('https://mcp.example.com'), 'audience'],
    'for nobody': [await issuer.sign(resource, { aud: undefined }), 'audience'],
    'of a stranger': [await stranger.sign(resource), 'invalid'],
    'of a stranger with our name': [await stranger.sign(resource, { iss: issuer.url }), 'invalid'],
    'with our kid, signed by a stranger': [
      await stranger.sign(resource, { iss: issuer.url }, { kid: key?.kid }),
      'invalid',
    ],
    'alg none': [`${unsigned({ alg: 'none' })}.`, 'invalid'],
    'HS256 with the public key': [
      `${hs256}.${createHmac('sha256', publicKey).update(hs256).digest('base64url')}`,
      'invalid',
    ],
    'a logout token': [await issuer.sign(resource, {}, { typ: 'logout+jwt' }), 'invalid'],
    opaque: ['0123456789', 'invalid'],
  }
  for (const [name, [token, outcome]] of Object.entries(bad)) {
    using events = new HeardEvents()
    const refused = await refusalFor(auth, token)
    expect([name, refused.status, ...events.outcomes]).toEqual([name, 401, outcome])
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token", error_description="[^"]+"/)
    expect(refused.headers['www-authenticate']).toContain('resource_metadata=')
  }
  expect(refusalOf(await auth.authenticate(requestWith('Bearer two words'))).status).toBe(401)
})

test('clocks may differ by the skew, and at+jwt is welcome', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({ resource, issuer: issuer.url, clockSkewS: 60 })
  const now = Math.floor(Date.now() / 1000)
  const token = await issuer.sign(resource, { exp: now - 20, nbf: now + 20 }, { typ: 'at+jwt' })
  expect((await principalFor(auth, token)).id).toBe(`${issuer.url}#ada`)
})

test('the audience is compared without the case of the host, and audience names others', async () => {
  await using issuer = await TestIssuer.start()
  const root = oauth({ resource: 'https://mcp.example.com', issuer: issuer.url })
  const other = oauth({ resource, issuer: issuer.url, audience: ['api://notes', resource] })
  expect(await present(root, await issuer.sign('HTTPS://MCP.Example.com/'))).toHaveProperty('principal')
  expect(await present(root, await issuer.sign('https://mcp.example.com/mcp'))).toHaveProperty('refused')
  expect(await present(other, await issuer.sign('api://notes'))).toHaveProperty('principal')
  expect(await present(other, await issuer.sign('', { aud: ['x', resource] }))).toHaveProperty('principal')
  expect(await present(other, await issuer.sign('api://Notes'))).toHaveProperty('refused')
})

test('a token without the scopes of every request is challenged for them', async () => {
  await using issuer = await TestIssuer.start()
  using events = new HeardEvents()
  const auth = oauth({ resource, issuer: issuer.url, scopes: ['notes:read', 'profile'] })
  const refused = await refusalFor(auth, await issuer.sign(resource, { scope: 'profile' }))
  expect(refused.status).toBe(403)
  expect(refused.headers['www-authenticate']).toContain('error="insufficient_scope"')
  expect(refused.headers['www-authenticate']).toContain('scope="notes:read profile"')
  expect(await present(auth, await issuer.sign(resource, { scope: 'profile notes:read' }))).toHaveProperty('principal')
  expect(events.outcomes).toEqual(['scope', 'ok'])
})

test('the step-up challenge names all scopes that the request needs', () => {
  using events = new HeardEvents()
  const auth = oauth({ resource, issuer: 'https://auth.example.com', scopes: ['notes:read'] })
  const { status, headers } = auth.challenge(['notes:write', 'notes:read', 'a"b\r\nX: y'], requestWith('Bearer x'))
  expect(status).toBe(403)
  expect(headers['www-authenticate']).toContain('scope="notes:read notes:write abX: y"')
  expect(events.auth).toEqual([{ server: 'notes', outcome: 'scope', status: 403 }])
})

test('a rotated key is fetched, and the old one ends with the cached keys', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({ resource, issuer: issuer.url })
  const old = await issuer.sign(resource)
  expect(await present(auth, old)).toHaveProperty('principal')
  await issuer.rotate()
  const renewed = await issuer.sign(resource)
  expect((await refusalFor(auth, renewed)).status).toBe(401)
  moveClock(31)
  expect(await present(auth, renewed)).toHaveProperty('principal')
  expect((await refusalFor(auth, old)).status).toBe(401)
})

test('a flood of unknown keys costs the issuer one request', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({ resource, issuer: issuer.url })
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, kid) => issuer.sign(resource, {}, { kid: `k${kid}` })),
  )
  const answers = await Promise.all(tokens.map((token) => refusalFor(auth, token)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  expect(issuer.countOf('/jwks')).toBe(1)
  expect(issuer.countOf(metadataPath)).toBe(1)
})

test('two issuers vouch for their own tokens only', async () => {
  await using one = await TestIssuer.start()
  await using two = await TestIssuer.start('/tenant')
  const auth = oauth({ resource, issuer: [one.url, two.url] })
  expect((await principalFor(auth, await one.sign(resource))).id).toBe(`${one.url}#ada`)
  expect((await principalFor(auth, await two.sign(resource))).id).toBe(`${two.url}#ada`)
  expect((await refusalFor(auth, await one.sign(resource, { iss: two.url }))).status).toBe(401)
  two.isDown = true
  moveClock(700)
  expect((await refusalFor(auth, await two.sign(resource))).status).toBe(503)
  expect(await present(auth, await one.sign(resource))).toHaveProperty('principal')
})

test('while the issuer is down requests are told to come back, and once it is up they are served', async () => {
  await using issuer = await TestIssuer.start()
  using events = new HeardEvents()
  const auth = oauth({ resource, issuer: issuer.url })
  const token = await issuer.sign(resource)
  issuer.isDown = true
  const [refused] = await Promise.all([refusalFor(auth, token), refusalFor(auth, token), refusalFor(auth, token)])
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  expect(refused.headers).not.toHaveProperty('www-authenticate')
  expect(events.outcomes).toEqual(['unavailable', 'unavailable', 'unavailable'])
  expect(events.errors.map(({ error }) => String(error))).toEqual([expect.stringContaining('could not be reached')])
  issuer.isDown = false
  const asked = issuer.requests.length
  expect((await refusalFor(auth, token)).status).toBe(503)
  expect(issuer.requests.length).toBe(asked)
  moveClock(6)
  expect(await present(auth, token)).toHaveProperty('principal')
})

test('keys that cannot be fetched or used are no reason to trust or to blame a token', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({ resource, issuer: issuer.url })
  const token = await issuer.sign(resource)
  const good = issuer.replies.get('/jwks')
  const faults = [{ status: 500, body: '' }, { body: { keys: 'none' } }, { body: '<html>' }]
  for (const fault of faults) {
    issuer.replies.set('/jwks', () => fault)
    expect((await refusalFor(auth, token)).status).toBe(503)
    moveClock(6)
  }
  const asked = issuer.countOf('/jwks')
  issuer.replies.set('/jwks', () => ({ status: 500 }))
  await refusalFor(auth, token)
  await refusalFor(auth, token)
  expect(issuer.countOf('/jwks')).toBe(asked + 1)
  moveClock(6)
  if (good !== undefined) issuer.replies.set('/jwks', good)
  expect(await present(auth, token)).toHaveProperty('principal')
})

test('jwks says where the keys are, and then nothing is discovered', async () => {
  await using issuer = await TestIssuer.start()
  const auth = oauth({ resource, issuer: 'https://auth.example.com', jwks: `${issuer.url}/jwks` })
  const token = await issuer.sign(resource, { iss: 'https://auth.example.com' })
  expect((await principalFor(auth, token)).id).toBe('https://auth.example.com#ada')
  expect(issuer.requests).toEqual(['/jwks'])
})

test('an own verifier decides, and its failure lets nobody in', async () => {
  using events = new HeardEvents()
  const auth = oauth({
    resource,
    issuer: 'https://auth.example.com',
    scopes: ['run'],
    verify(token) {
      if (token === 'crash') throw new Error('The database is away.')
      if (token === 'old') return { id: 'ada', scopes: ['run'], expiresAt: 1 }
      return token === 'good' ? { id: 'ada', scopes: ['run'] } : undefined
    },
  })
  expect(await principalFor(auth, 'good')).toEqual({ id: 'ada', scopes: ['run'] })
  expect((await refusalFor(auth, 'bad')).status).toBe(401)
  expect((await refusalFor(auth, 'old')).status).toBe(401)
  expect((await refusalFor(auth, 'crash')).status).toBe(503)
  expect(events.outcomes).toEqual(['ok', 'invalid', 'expired', 'unavailable'])
  expect(events.errors).toMatchObject([{ server: 'notes', error: { message: 'The database is away.' } }])
})

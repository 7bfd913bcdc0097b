import { afterEach, expect, test, vi } from 'vitest'
import { oauth } from './oauth.ts'
import { HeardEvents } from '../testing/hear-events.ts'
import { present, principalFor, refusalFor } from '../testing/requests.ts'
import { TestIssuer } from '../testing/test-issuer.ts'

const resource = 'https://mcp.example.com/mcp'
const client = { clientId: 'notes server', clientSecret: 'love & peace' }

afterEach(() => void vi.useRealTimers())

function moveClock(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

/** An issuer of opaque tokens: `active` holds what it says about each. */
async function startOpaque(extra: object = {}) {
  const issuer = await TestIssuer.start()
  const active = new Map<string, object>()
  const asked: { authorization: string | undefined; form: URLSearchParams }[] = []
  issuer.replies.set('/.well-known/oauth-authorization-server', () => ({
    body: { issuer: issuer.url, introspection_endpoint: `${issuer.url}/introspect`, ...extra },
  }))
  issuer.replies.set('/introspect', (request, body) => {
    const form = new URLSearchParams(body)
    asked.push({ authorization: request.headers.authorization, form })
    const claims = active.get(form.get('token') ?? '')
    return { body: claims === undefined ? { active: false } : { active: true, ...claims } }
  })
  const auth = oauth({ resource, issuer: issuer.url, introspection: client })
  return { issuer, active, asked, auth, [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose]() }
}

test('an opaque token is asked about once a minute, with the credentials of the server', async () => {
  await using opaque = await startOpaque()
  opaque.active.set('good', { sub: 'ada', aud: resource, scope: 'run', client_id: 'editor' })
  const [principal] = await Promise.all([principalFor(opaque.auth, 'good'), principalFor(opaque.auth, 'good')])
  expect(principal).toMatchObject({ id: `${opaque.issuer.url}#ada`, scopes: ['run'], clientId: 'editor' })
  await principalFor(opaque.auth, 'good')
  expect(opaque.asked).toHaveLength(1)
  const [question] = opaque.asked
  expect(Buffer.from(question?.authorization?.slice(6) ?? '', 'base64').toString()).toBe('notes+server:love+%26+peace')
  expect(question?.form.get('token')).toBe('good')
})

test('a revoked token stops working when the remembered answer ends', async () => {
  await using opaque = await startOpaque()
  opaque.active.set('good', { sub: 'ada', aud: resource })
  await principalFor(opaque.auth, 'good')
  opaque.active.clear()
  moveClock(59)
  await principalFor(opaque.auth, 'good')
  moveClock(2)
  expect((await refusalFor(opaque.auth, 'good')).status).toBe(401)
})

test('an answer is remembered no longer than the token is good', async () => {
  await using opaque = await startOpaque()
  opaque.active.set('short', { sub: 'ada', aud: resource, exp: Math.floor(Date.now() / 1000) + 20 })
  await principalFor(opaque.auth, 'short')
  opaque.active.clear()
  moveClock(21)
  expect((await refusalFor(opaque.auth, 'short')).status).toBe(401)
  expect(opaque.asked).toHaveLength(2)
})

test('an inactive token is refused without asking each time, and asked about again soon', async () => {
  await using opaque = await startOpaque()
  expect((await refusalFor(opaque.auth, 'new')).status).toBe(401)
  await refusalFor(opaque.auth, 'new')
  expect(opaque.asked).toHaveLength(1)
  opaque.active.set('new', { sub: 'ada', aud: resource })
  moveClock(11)
  expect(await present(opaque.auth, 'new')).toHaveProperty('principal')
})

test('an active token must be for this resource, of this issuer, and valid now', async () => {
  await using opaque = await startOpaque()
  using events = new HeardEvents()
  const now = Math.floor(Date.now() / 1000)
  opaque.active.set('elsewhere', { sub: 'ada', aud: 'https://other.example.com' })
  opaque.active.set('anywhere', { sub: 'ada' })
  opaque.active.set('foreign', { sub: 'ada', aud: resource, iss: 'https://other.example.com' })
  opaque.active.set('early', { sub: 'ada', aud: resource, nbf: now + 600 })
  opaque.active.set('late', { sub: 'ada', aud: resource, exp: now - 600 })
  for (const token of opaque.active.keys()) expect((await refusalFor(opaque.auth, token)).status).toBe(401)
  expect(events.outcomes).toEqual(['audience', 'audience', 'invalid', 'invalid', 'expired'])
})

test('an endpoint that is down, lost or talks nonsense makes nobody anything', async () => {
  await using opaque = await startOpaque()
  opaque.active.set('good', { sub: 'ada', aud: resource })
  const good = opaque.issuer.replies.get('/introspect') ?? (() => ({}))
  const faults = [
    { status: 401, body: { error: 'invalid_client' } },
    { status: 307, headers: { location: '/elsewhere' } },
    { body: { active: 'yes', sub: 'ada', aud: resource } },
    { body: 'good' },
    { body: null },
  ]
  for (const fault of faults) {
    opaque.issuer.replies.set('/introspect', () => fault)
    expect((await refusalFor(opaque.auth, 'good')).status).toBe(503)
  }
  expect(opaque.issuer.countOf('/elsewhere')).toBe(0)
  opaque.issuer.replies.set('/introspect', good)
  expect(await present(opaque.auth, 'good')).toHaveProperty('principal')
})

test('credentials go into the form when the issuer takes them only there', async () => {
  await using opaque = await startOpaque({ introspection_endpoint_auth_methods_supported: ['client_secret_post'] })
  await refusalFor(opaque.auth, 'any')
  expect(opaque.asked[0]?.authorization).toBeUndefined()
  expect(opaque.asked[0]?.form.get('client_secret')).toBe(client.clientSecret)
})

test('JWTs are verified by their signature, and introspected when the issuer publishes no keys', async () => {
  await using opaque = await startOpaque()
  const { issuer } = opaque
  const token = await issuer.sign(resource)
  expect((await refusalFor(opaque.auth, token)).status).toBe(401)
  opaque.active.set(token, { sub: 'ada', aud: resource })
  moveClock(11)
  expect(await present(opaque.auth, token)).toHaveProperty('principal')
  const withKeys = oauth({ resource, issuer: issuer.url, jwks: `${issuer.url}/jwks`, introspection: client })
  const asked = opaque.asked.length
  expect(await present(withKeys, await issuer.sign(resource))).toHaveProperty('principal')
  expect(opaque.asked).toHaveLength(asked)
})

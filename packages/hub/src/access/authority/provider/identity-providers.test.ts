import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operator } from '../../../wire/index.ts'
import { OAuthClient } from '../testing/oauth-client.ts'
import { startAuthority, type TestAuthority } from '../testing/start-authority.ts'
import { startIdentityProvider, type IdentityProvider } from '../testing/start-identity-provider.ts'

let hub: TestAuthority
let outside: IdentityProvider

beforeAll(async () => {
  ;[hub, outside] = await Promise.all([startAuthority(), startIdentityProvider()])
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

const canary = 'canary-of-the-provider'
const admin = { ...operator, role: 'admin' } as const

describe('an identity provider', () => {
  const input = () => ({
    name: 'corp',
    label: 'Corp',
    issuer: outside.url,
    clientId: 'herma',
    clientSecret: canary,
    domains: ['corp.example'],
    createUsers: true,
  })

  async function signInThere(): Promise<{ status: number; text: string; id: string | undefined }> {
    const browser = hub.browser()
    await browser.open('/login')
    const left = await browser.submit({}, { button: 'provider=corp', form: 1 })
    // The other site sends the person back with a code.
    const back = await fetch(left.url, { redirect: 'manual' })
    const page = await browser.open(back.headers.get('location')!)
    const me = await browser.open('/whoami')
    const { id } = me.status === 200 ? (JSON.parse(me.text) as { id: string }) : {}
    return { status: page.status, text: page.text, id }
  }

  test('is added by an owner, after it was asked for its endpoints', async () => {
    await expect(hub.authority.trust.addProvider(input(), admin)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const wrong = { ...input(), issuer: `${outside.url}/nowhere` }
    await expect(hub.authority.trust.addProvider(wrong, operator)).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    })
    const view = await hub.authority.trust.addProvider(input(), operator)
    expect(view).toMatchObject({ callbackUrl: `${hub.url}/auth/callback/corp`, role: 'member' })
    expect(JSON.stringify([view, hub.events])).not.toContain(canary)
    await expect(hub.authority.trust.addProvider(input(), operator)).rejects.toMatchObject({ code: 'PROVIDER_EXISTS' })
  })

  test('makes users of people of its domain, and knows them again', async () => {
    outside.person = { sub: '1', email: 'Grace.H@corp.example', email_verified: true }
    expect((await signInThere()).id).toBe('user:grace.h')
    expect((await signInThere()).id).toBe('user:grace.h')
    expect(await hub.authority.users.get('grace.h')).toMatchObject({
      role: 'member',
      email: 'grace.h@corp.example',
      providers: ['corp'],
      hasPassword: false,
    })
    // The same name at another address of the domain is another person.
    outside.person = { sub: '2', email: 'grace.h@sub.corp.example', email_verified: true }
    expect((await signInThere()).id).toBeUndefined()
  })

  test.each([
    ['of another domain', { sub: '3', email: 'eve@evil.example', email_verified: true }],
    ['whose address it has not verified', { sub: '4', email: 'eve@corp.example', email_verified: false }],
    ['without an address', { sub: '5' }],
    ['meant for another client', { sub: '6', email: 'eve@corp.example', email_verified: true, aud: 'another' }],
  ])('lets nobody in %s', async (_case, person) => {
    outside.person = person
    const { status, id } = await signInThere()
    expect([status >= 400, id]).toEqual([true, undefined])
    expect((await hub.authority.users.list()).map(({ name }) => name)).toEqual(['grace.h'])
  })

  test('finds a user by the address that was entered, and keeps a disabled one out', async () => {
    await hub.authority.users.add({ name: 'ada', role: 'admin', email: 'ada@corp.example' }, operator)
    outside.person = { sub: '7', email: 'ada@corp.example', email_verified: true }
    expect((await signInThere()).id).toBe('user:ada')
    await hub.authority.users.update('ada', { disabled: true }, operator)
    expect((await signInThere()).id).toBeUndefined()
  })

  test('leads on to the client that wanted the sign-in', async () => {
    outside.person = { sub: '1', email: 'grace.h@corp.example', email_verified: true }
    const client = new OAuthClient(hub.url)
    await client.register()
    const browser = hub.browser()
    await browser.open(client.authorizeUrl())
    const left = await browser.submit({}, { button: 'provider=corp', form: 1 })
    const back = await fetch(left.url, { redirect: 'manual' })
    const page = await browser.open(back.headers.get('location')!)
    expect([page.url.pathname, page.status]).toEqual(['/consent', 200])
    expect(page.text).toContain('grace.h')
  })

  test('is gone when it is removed', async () => {
    await hub.authority.trust.removeProvider('corp', operator)
    expect((await hub.browser().open('/login')).text).not.toContain('Corp')
    await expect(hub.authority.trust.removeProvider('corp', operator)).rejects.toMatchObject({
      code: 'PROVIDER_NOT_FOUND',
    })
  })
})

describe('a trusted issuer', () => {
  const verify = (token: string) => hub.authority.verify(token, 'facade')

  test('counts once an owner trusts it, with the role that the owner gave', async () => {
    const token = await outside.sign({ sub: 'carol', aud: `${hub.url}/mcp`, client_id: 'cli', scope: 'other' })
    expect(await verify(token)).toMatchObject({ refused: { code: 'UNAUTHENTICATED' } })
    const input = { name: 'corp', issuer: outside.url, role: 'viewer' } as const
    await expect(hub.authority.trust.addIssuer(input, admin)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await hub.authority.trust.addIssuer(input, operator)
    expect(await verify(token)).toEqual({
      id: `client:${outside.url}#carol`,
      kind: 'client',
      name: `${outside.url}#carol`,
      role: 'viewer',
      scopes: ['mcp'],
      servers: ['facade'],
      clientId: 'cli',
    })
    expect(hub.authority.remembered(token, 'facade')).toBeDefined()
  })

  test('must have issued the token for this server, and not long ago', async () => {
    const elsewhere = await outside.sign({ sub: 'carol', aud: 'https://other.example/mcp' })
    const expired = await outside.sign({ sub: 'carol', aud: `${hub.url}/mcp` }, '-5m')
    for (const token of [elsewhere, expired, 'opaque', `${elsewhere}x`])
      expect(await verify(token)).toMatchObject({ refused: { code: 'UNAUTHENTICATED' } })
  })

  test('is not believed any more at once when it is removed', async () => {
    const token = await outside.sign({ sub: 'dave', aud: `${hub.url}/mcp` })
    expect(await verify(token)).toMatchObject({ kind: 'client' })
    await hub.authority.trust.removeIssuer('corp', operator)
    expect(hub.authority.remembered(token, 'facade')).toBeUndefined()
    expect(await verify(token)).toMatchObject({ refused: { code: 'UNAUTHENTICATED' } })
  })
})

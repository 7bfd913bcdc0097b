import { createOTP } from '@better-auth/utils/otp'
import { base32 } from '@better-auth/utils/base32'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operator } from '../../../wire/index.ts'
import { startAuthority, testPassword, type TestAuthority } from '../testing/start-authority.ts'
import type { TestBrowser } from '../testing/test-browser.ts'

let hub: TestAuthority

beforeAll(async () => {
  hub = await startAuthority()
  await hub.addUser('ada', 'owner')
})
afterAll(() => hub[Symbol.asyncDispose]())

async function signIn(name: string, password = testPassword, browser = hub.browser()): Promise<TestBrowser> {
  await browser.open('/login')
  await browser.submit({ name, password })
  return browser
}

async function whoIs(browser: TestBrowser): Promise<string | null> {
  const { status, text } = await browser.open('/whoami')
  return status === 200 ? (JSON.parse(text) as { id: string }).id : null
}

const sessionOf = ({ cookies }: TestBrowser) => [...cookies].find(([name]) => name.endsWith('.session_token'))?.[1]

describe('signing in', () => {
  test('works with the name, in whatever case, and is over after signing out', async () => {
    const browser = await signIn('Ada')
    expect(await whoIs(browser)).toBe('user:ada')
    const kept = sessionOf(browser)!
    await browser.open('/auth/account')
    await browser.submit({}, { button: 'action=sign-out' })
    expect(await whoIs(browser)).toBeNull()
    const [name] = [...(await signIn('ada')).cookies.keys()].filter((key) => key.endsWith('.session_token'))
    expect(await hub.authority.userOf(`${name}=${kept}`)).toBeNull()
  })

  test('gives a new session, whatever cookie was there before', async () => {
    const browser = await signIn('ada')
    const before = sessionOf(browser)
    await signIn('ada', testPassword, browser)
    expect(sessionOf(browser)).not.toBe(before)
  })

  test('says the same about a wrong password and an unknown name', async () => {
    const texts = await Promise.all(
      ['ada', 'nobody'].map(async (name) => {
        const { page } = await signIn(name, 'wrong')
        expect(page!.status).toBe(401)
        return page!.text.replaceAll(/value="[^"]*"/g, '')
      }),
    )
    expect(texts[0]).toBe(texts[1])
    const failures = hub.events.filter(({ kind }) => kind === 'user.sign-in-failed')
    expect(failures.map(({ data }) => data)).toEqual([{ user: 'ada' }])
  })

  test('is slowed down for who guesses, for a known name like for an unknown one', async () => {
    await hub.addUser('target')
    for (const name of ['target', 'missing']) {
      const statuses: number[] = []
      for (let attempt = 0; attempt < 7; attempt++) statuses.push((await signIn(name, 'wrong')).page!.status)
      expect(statuses.slice(0, 6).every((status) => status === 401)).toBe(true)
      expect(statuses.at(-1)).toBe(429)
      // The right password does not help now, so guessing on is of no use.
      expect((await signIn(name)).page!.status).toBe(429)
    }
  })

  test('leads to our own pages only', async () => {
    const { page } = await signIn('ada')
    expect(page!.url.href).toBe(`${hub.url}/`)
    const browser = hub.browser()
    await browser.open('/login?redirect_uri=https://evil.example&next=//evil.example&callbackURL=https://evil.example')
    await browser.submit({ name: 'ada', password: testPassword })
    expect(browser.page!.url.origin).toBe(hub.url)
  })
})

describe('a form', () => {
  const fields = new URLSearchParams({ name: 'ada', password: testPassword })

  test('counts only with the token of its page', async () => {
    const browser = hub.browser()
    expect((await browser.post('/login', fields)).status).toBe(403)
    await browser.open('/login')
    expect((await browser.post('/login', fields)).status).toBe(403)
    const other = hub.browser()
    await other.open('/login')
    const token = /name="form"\s+value="([^"]*)"/.exec(other.page!.text)![1]!
    expect(
      (await browser.post('/login', new URLSearchParams({ ...Object.fromEntries(fields), form: token }))).status,
    ).toBe(403)
  })

  test.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin in particular', { origin: 'null' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
  ])('does not count from %s', async (_case, headers) => {
    const browser = hub.browser()
    const { text } = await browser.open('/login')
    const form = /name="form"\s+value="([^"]*)"/.exec(text)![1]!
    const body = new URLSearchParams({ ...Object.fromEntries(fields), form })
    expect((await browser.post('/login', body, headers)).status).toBe(403)
    expect((await browser.post('/login', body)).status).not.toBe(403)
  })

  test('of endless length is refused', async () => {
    const body = new URLSearchParams({ name: 'x'.repeat(100_000) })
    expect((await hub.browser().post('/login', body)).status).toBe(413)
  })

  test('stands on a page that runs no script of others and that nobody frames', async () => {
    const { headers, text } = await hub.browser().open('/login')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src( 'sha256-[\w+/=]{44}'){2}; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    expect(headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/)
  })
})

test('cookies are bound to the host and to https when the hub is public', async () => {
  hub.settings.publicUrl = 'https://mcp.example.com'
  try {
    const page = await hub.browser().open('/login')
    expect(page.headers.get('set-cookie')).toMatch(/^__Host-herma\.form=\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    const form = /name="form"\s+value="([^"]*)"/.exec(page.text)![1]!
    const response = await fetch(`${hub.url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'https://mcp.example.com', cookie: page.headers.get('set-cookie')!.split(';')[0]! },
      body: new URLSearchParams({ form, name: 'ada', password: testPassword }),
    })
    const session = response.headers.getSetCookie().find((line) => line.includes('session_token'))
    expect(session).toMatch(/^__Host-herma\.session_token=/)
    expect(session).toMatch(/; Secure/)
    expect(session).toMatch(/; HttpOnly/)
    expect(session).not.toMatch(/domain=/i)
  } finally {
    hub.settings.publicUrl = null
  }
})

describe('setting a password', () => {
  test('needs the code, once, and a password that is not too simple', async () => {
    const { setup } = await hub.authority.users.add({ name: 'carl' }, operator)
    const browser = hub.browser()
    const attempt = async (code: string, password: string) => {
      await browser.open(setup.url)
      return (await browser.submit({ code, password, again: password })).status
    }
    expect(await attempt(setup.code, 'short')).toBe(400)
    expect(await attempt(setup.code, 'aaaaaaaaaaaaaaaa')).toBe(400)
    expect(await attempt('000000-000000', testPassword)).toBe(401)
    expect(await attempt(setup.code.toLowerCase().replaceAll('-', ' '), testPassword)).toBe(200)
    expect(await attempt(setup.code, 'another good password')).toBe(401)
    expect(await whoIs(await signIn('carl'))).toBe('user:carl')
    expect(JSON.stringify(hub.events)).not.toContain(setup.code)
  })

  test('again after a reset ends what was before', async () => {
    await hub.addUser('dora')
    const browser = await signIn('dora')
    expect(await whoIs(browser)).toBe('user:dora')
    await hub.authority.users.reset('dora', operator)
    expect(await whoIs(browser)).toBeNull()
    expect((await signIn('dora')).page!.status).toBe(401)
  })

  test('is possible with the old one, and signs other browsers out', async () => {
    await hub.addUser('emil')
    const [here, there] = [await signIn('emil'), await signIn('emil')]
    await here.open('/auth/account')
    const fresh = 'a better password'
    const body = { current: testPassword, password: fresh, again: fresh }
    const page = await here.submit(body, { button: 'action=password', form: 2 })
    expect([page.status, page.url.pathname]).toEqual([200, '/auth/account'])
    expect([await whoIs(here), await whoIs(there)]).toEqual(['user:emil', null])
    expect(await whoIs(await signIn('emil', fresh))).toBe('user:emil')
  })
})

test('a second step is asked for once it is set up, and a backup code works once', async () => {
  await hub.addUser('fay')
  const browser = await signIn('fay')
  await browser.open('/auth/account')
  const { text } = await browser.submit({ current: testPassword }, { button: 'action=enable-code', form: 1 })
  const key = /<code>([A-Z2-7]+)<\/code>/.exec(text)![1]!
  const [backup] = [...text.matchAll(/<li>([^<]+)<\/li>/g)].map(([, code]) => code!)
  const code = () => createOTP(new TextDecoder().decode(base32.decode(key))).totp()
  const on = await browser.submit({ code: await code() }, { button: 'action=confirm-code' })
  expect([on.status, on.text.includes('is asked for')]).toEqual([200, true])

  const again = await signIn('fay')
  expect(again.page!.text).toContain('Second step')
  expect(await whoIs(again)).toBeNull()
  const half = await signIn('fay')
  expect((await half.submit({ code: '000000' })).status).toBe(401)
  const right = await code()
  await half.submit({ code: right })
  expect(await whoIs(half)).toBe('user:fay')
  const replayed = await signIn('fay')
  expect((await replayed.submit({ code: right })).status).toBe(401)
  expect(await whoIs(replayed)).toBeNull()
  const rescued = await signIn('fay')
  await rescued.submit({ code: backup! })
  expect(await whoIs(rescued)).toBe('user:fay')
  const second = await signIn('fay')
  expect((await second.submit({ code: backup! })).status).toBe(401)
})

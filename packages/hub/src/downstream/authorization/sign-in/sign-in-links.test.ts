import { afterEach, expect, test, vi } from 'vitest'
import { SignInLinks } from './sign-in-links.ts'

afterEach(() => void vi.useRealTimers())

const forAnn = { whose: 'user:ann', by: 'user:ann', connectionId: null }

function idOf(url: string): string {
  return url.split('/').at(-1)!
}

test('a link is the same until it is opened, and is good for once', () => {
  const links = new SignInLinks(() => 'https://hub.example')
  const first = links.give('c1', forAnn)
  expect(first.url).toMatch(/^https:\/\/hub\.example\/api\/sign-in\/[\w-]{43}$/)
  expect(links.give('c1', forAnn)).toEqual(first)
  expect(links.give('c2', forAnn).url).not.toBe(first.url)
  expect(links.open(idOf(first.url), 'user:ann')).toEqual({ connectorId: 'c1', by: 'user:ann' })
  expect(() => links.open(idOf(first.url), 'user:ann')).toThrow(/used already/)
  const second = links.give('c1', forAnn)
  expect(second.url).not.toBe(first.url)
  expect(second.elicitationId).toBe(first.elicitationId)
})

test('somebody else than it was made for neither opens a link nor uses it up', () => {
  const links = new SignInLinks(() => '')
  const id = idOf(links.give('c1', forAnn).url)
  for (const principal of ['user:eve', 'operator', 'nobody', ''])
    expect(() => links.open(id, principal)).toThrow(/made for somebody else/)
  expect(() => links.open('guessed', 'user:ann')).toThrow(/used already or is too old/)
  expect(links.open(id, 'user:ann').connectorId).toBe('c1')
})

test('a link that nobody opened in time leads nowhere', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const links = new SignInLinks(() => '')
  const old = links.give('c1', forAnn)
  vi.setSystemTime(Date.now() + 11 * 60_000)
  expect(() => links.open(idOf(old.url), 'user:ann')).toThrow(/too old/)
  expect(links.give('c1', forAnn).url).not.toBe(old.url)
})

test('who waits hears of the end, and only of that of its own sign-in', async () => {
  const links = new SignInLinks(() => '')
  const { elicitationId } = links.give('c1', { ...forAnn, connectionId: 'one' })
  links.give('c1', { ...forAnn, connectionId: 'two' })
  links.give('c1', { whose: 'user:bob', by: 'user:bob', connectionId: 'three' })
  const waiting = links.wait('c1', 'user:ann', 60_000)
  const bob = links.wait('c1', 'user:bob', 1)
  expect(links.complete('c1', 'user:ann')).toMatchObject({ elicitationId, watchers: new Set(['one', 'two']) })
  expect(await waiting).toBe(true)
  expect(await bob).toBe(false)
  expect(links.isWanted('c1', 'user:ann')).toBe(false)
  expect(links.complete('c1', 'user:ann')).toBeNull()
})

test('there is a limit of sign-ins that are waited for', () => {
  const links = new SignInLinks(() => '')
  const first = links.give('c0', forAnn)
  for (let count = 1; count <= 1000; count++) links.give(`c${count}`, forAnn)
  expect(links.size).toBe(1000)
  expect(() => links.open(idOf(first.url), 'user:ann')).toThrow(/too old/)
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { bearer } from './bearer.ts'
import { HeardEvents } from './testing/hear-events.ts'
import { principalFor, refusalFor, refusalOf, requestWith } from './testing/requests.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('known tokens, plain or hashed, name their principal', async () => {
  using events = new HeardEvents()
  const auth = bearer({
    tokens: { ada: { token: 'abc' }, bob: { sha256: sha256('def').toUpperCase(), scopes: ['run'] } },
  })
  expect(await principalFor(auth, 'abc')).toEqual({ id: 'ada', scopes: [] })
  expect(await principalFor(auth, 'def')).toEqual({ id: 'bob', scopes: ['run'] })
  expect((await refusalFor(auth, 'ab')).status).toBe(401)
  expect((await refusalFor(auth, sha256('def'))).status).toBe(401)
  expect(events.outcomes).toEqual(['ok', 'ok', 'invalid', 'invalid'])
})

test('the scheme may be written in any case', async () => {
  const auth = bearer({ tokens: { ada: { token: 'abc' } } })
  expect(await auth.authenticate(requestWith('bearer abc'))).toMatchObject({ principal: { id: 'ada' } })
})

test('challenges name the realm, and no metadata that does not exist', async () => {
  const auth = bearer({ tokens: { ada: { token: 'abc' } }, realm: 'my "notes"' })
  const { headers, status } = refusalOf(await auth.authenticate(requestWith()))
  expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="my notes"'])
  expect(auth.challenge(['run'], requestWith('Bearer abc'))).toMatchObject({ status: 403 })
  const plain = refusalOf(await bearer({ tokens: { ada: { token: 'abc' } } }).authenticate(requestWith()))
  expect(plain.headers['www-authenticate']).toBe('Bearer')
})

test('a lookup function decides, and its principal may expire', async () => {
  const auth = bearer({
    lookup: async (token) => (token === 'no' ? undefined : { id: 'ada', scopes: [], expiresAt: Number(token) }),
  })
  expect((await principalFor(auth, '4000000000')).id).toBe('ada')
  expect((await refusalFor(auth, '1')).status).toBe(401)
  expect((await refusalFor(auth, 'no')).status).toBe(401)
})

test('tokens that can never match are refused at once, without being shown', () => {
  const unset = undefined as unknown as string
  expect(() => bearer({ tokens: {} })).toThrow('no tokens')
  expect(() => bearer({ tokens: { ada: { token: '' } } })).toThrow("The token 'ada' is empty")
  expect(() => bearer({ tokens: { ada: { token: unset } } })).toThrow('environment variable')
  expect(() => bearer({ tokens: { ada: { token: 'geheim wort' } } })).toThrow(/^(?!.*geheim)/)
  expect(() => bearer({ tokens: { ada: { sha256: 'abc' } } })).toThrow('is no SHA-256')
  expect(() => bearer({ tokens: { ada: { token: 'x' }, bob: { sha256: sha256('x') } } })).toThrow('the same token')
})

test('what is no token by its form reaches no lookup', async () => {
  const asked: string[] = []
  const auth = bearer({ lookup: (token) => (asked.push(token), { id: 'ada', scopes: [] }) })
  for (const header of ['Bearer', 'Bearer two words', 'Bearer a,b', `Bearer ${'x'.repeat(20_000)}`]) {
    expect(refusalOf(await auth.authenticate(requestWith(header))).headers['www-authenticate']).toContain(
      'invalid_token',
    )
  }
  expect(asked).toEqual([])
})

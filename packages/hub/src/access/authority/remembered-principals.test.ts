import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { operator } from '../../wire/index.ts'
import { RememberedPrincipals } from './remembered-principals.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = Number.POSITIVE_INFINITY

test('a verdict is remembered for its place, until the token ends and never for more than a minute', () => {
  const known = new RememberedPrincipals()
  const { generation } = known
  known.remember({ credential: 'long', place: 'facade', principal: operator, expiresAt: never, generation })
  known.remember({
    credential: 'short',
    place: 'facade',
    principal: operator,
    expiresAt: Date.now() + 5000,
    generation,
  })
  expect(known.get('long', 'facade')).toBe(operator)
  expect(known.get('long', 'reader')).toBeUndefined()
  expect(known.get('longer', 'facade')).toBeUndefined()
  vi.advanceTimersByTime(5000)
  expect([known.get('short', 'facade'), known.get('long', 'facade')]).toEqual([undefined, operator])
  vi.advanceTimersByTime(55_000)
  expect(known.get('long', 'facade')).toBeUndefined()
})

test('a check that began before something was revoked leaves nothing behind', () => {
  const known = new RememberedPrincipals()
  const { generation } = known
  known.forget()
  known.remember({ credential: 'token', principal: operator, expiresAt: never, generation })
  expect(known.get('token')).toBeUndefined()
})

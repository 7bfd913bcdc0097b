import type { Principal, PrincipalLimits } from '@herma/contract'
import { expect, test } from 'vitest'
import { PrincipalLimiter, type LimitRefusal, type CallPermit } from './principal-limiter.ts'

const operator: Principal = {
  id: 'operator',
  kind: 'operator',
  name: 'operator',
  role: 'owner',
  scopes: null,
  servers: null,
}

test('each principal has its own rate, and a refusal says how long to wait', () => {
  const { limiter, clock } = create({ callsPerMinute: 60, concurrency: null })
  expect(outcomes(limiter, user('ana'), 7)).toEqual([...Array.from({ length: 6 }, () => 'ok'), 1000])
  expect(outcomes(limiter, user('bob'), 1)).toEqual(['ok'])
  clock.now += 1000
  expect(outcomes(limiter, user('ana'), 2)).toEqual(['ok', 1000])
  const refusal = limiter.take(user('ana'), 'tools/call') as LimitRefusal
  expect(refusal.refused).toMatchObject({ code: 'RATE_LIMITED', data: { retryAfterMs: 1000 } })
  expect(refusal.refused.message).toContain("'ana' may call 60 times a minute. Try again in 1 s")
})

test('calls under way are counted until they end, once', () => {
  const { limiter } = create({ callsPerMinute: null, concurrency: 2 })
  const turns = [take(limiter, 'ana'), take(limiter, 'ana')]
  expect(outcomes(limiter, user('ana'), 1)).toEqual([1000])
  expect(outcomes(limiter, user('bob'), 2)).toEqual(['ok', 'ok'])
  turns[0]!.release()
  turns[0]!.release()
  expect(outcomes(limiter, user('ana'), 2)).toEqual(['ok', 1000])
})

test('a call that is refused for want of room costs none of the rate', () => {
  const { limiter } = create({ callsPerMinute: 20, concurrency: 1 })
  const first = take(limiter, 'ana')
  expect(outcomes(limiter, user('ana'), 5)).toEqual([1000, 1000, 1000, 1000, 1000])
  first.release()
  expect(outcomes(limiter, user('ana'), 1)).toEqual(['ok'])
})

test.each(['tools/list', 'resources/list', 'ping', 'server/discover', 'notifications/x'])('%s is free', (method) => {
  const { limiter } = create({ callsPerMinute: 1, concurrency: 1 })
  for (let index = 0; index < 10; index += 1) expect(limiter.take(user('ana'), method)).not.toHaveProperty('refused')
})

test.each(['tools/call', 'resources/read', 'prompts/get', 'completion/complete'])('%s counts', (method) => {
  const { limiter } = create({ callsPerMinute: 1, concurrency: null })
  limiter.take(user('ana'), method)
  expect(limiter.take(user('ana'), method)).toHaveProperty('refused')
})

test('what is done inside of a call counts as a call, and not as one more under way', () => {
  const { limiter } = create({ callsPerMinute: 30, concurrency: 1 })
  take(limiter, 'ana')
  expect(limiter.take(user('ana'), 'tools/call', true)).not.toHaveProperty('refused')
  expect(limiter.take(user('ana'), 'tools/call', false)).toHaveProperty('refused')
  limiter.take(user('ana'), 'tools/call', true)
  expect(limiter.take(user('ana'), 'tools/call', true)).toHaveProperty('refused')
})

test('connections are opened as often as calls may be made, which costs no calls', () => {
  const { limiter } = create({ callsPerMinute: 10, concurrency: 1 })
  take(limiter, 'ana')
  expect(limiter.take(user('ana'), 'initialize')).not.toHaveProperty('refused')
  expect(limiter.take(user('ana'), 'initialize')).toHaveProperty('refused')
  expect(limiter.take(user('bob'), 'initialize')).not.toHaveProperty('refused')
  expect(outcomes(limiter, user('bob'), 1)).toEqual(['ok'])
})

test('who has no limits leaves no trace', () => {
  const { limiter } = create(null)
  const turns = Array.from({ length: 100 }, () => limiter.take(operator, 'tools/call'))
  expect(new Set(turns).size).toBe(1)
  expect(figure(limiter, 'limited_principals')).toBe(0)
})

test('principals that do nothing are forgotten, those with calls under way are not', () => {
  const { limiter, clock } = create({ callsPerMinute: 60, concurrency: 5 })
  const busy = take(limiter, 'busy')
  for (let index = 0; index < 50; index += 1) take(limiter, `idle-${index}`).release()
  clock.now += 120_000
  take(limiter, 'other').release()
  expect(figure(limiter, 'limited_principals')).toBe(2)
  busy.release()
})

test('however many there are, only so many are remembered', () => {
  const { limiter } = create({ callsPerMinute: 60, concurrency: 5 }, 100)
  for (let index = 0; index < 1000; index += 1) take(limiter, `user-${index}`)
  expect(figure(limiter, 'limited_principals')).toBe(100)
})

test('limits that change hold for the next call', () => {
  let limits: PrincipalLimits = { callsPerMinute: 10, concurrency: null }
  const limiter = new PrincipalLimiter({ limitsOf: () => limits, clock: () => 0 })
  expect(outcomes(limiter, user('ana'), 2)).toEqual(['ok', 6000])
  limits = { callsPerMinute: 100, concurrency: null }
  expect(outcomes(limiter, user('ana'), 1)).toEqual(['ok'])
  limits = { callsPerMinute: null, concurrency: null }
  expect(outcomes(limiter, user('ana'), 1)).toEqual(['ok'])
})

function create(limits: PrincipalLimits | null, maxPrincipals?: number) {
  const clock = { now: 0 }
  const bound = maxPrincipals === undefined ? {} : { maxPrincipals }
  return { clock, limiter: new PrincipalLimiter({ limitsOf: () => limits, clock: () => clock.now, ...bound }) }
}

function user(name: string): Principal {
  return { id: `user:${name}`, kind: 'user', name, role: 'member', scopes: null, servers: null }
}

function take(limiter: PrincipalLimiter, name: string): CallPermit {
  const turn = limiter.take(user(name), 'tools/call')
  if ('refused' in turn) throw turn.refused
  return turn
}

/** 'ok', or the time to wait. */
function outcomes(limiter: PrincipalLimiter, principal: Principal, times: number): (string | number)[] {
  return Array.from({ length: times }, () => {
    const turn = limiter.take(principal, 'tools/call')
    return 'refused' in turn ? turn.retryAfterMs : 'ok'
  })
}

function figure(limiter: PrincipalLimiter, name: string): unknown {
  return limiter
    .metrics()
    .find((metric) => metric.name === name)
    ?.read()
}

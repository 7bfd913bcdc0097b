import type { AddressLimits } from '@herma/contract'
import { expect, test } from 'vitest'
import { AddressLimiter, type AddressHold } from './address-limiter.ts'

const far = '10.0.0.7'

test.each<[AddressHold, string]>([
  ['sockets', 'Your address has 2 sockets open'],
  ['requests', 'Your address has 2 requests under way'],
  ['connections', 'Your address has 2 connections'],
])('an address holds so many %s, and each address its own', (hold, text) => {
  const { limiter } = create({ sockets: 2, connections: 2 })
  const first = take(limiter, hold, far)
  take(limiter, hold, far)
  expect(limiter.hasRoom(hold, far)).toBe(false)
  const refusal = limiter.hold(hold, far)
  expect(refusal).toMatchObject({ refused: { code: 'RATE_LIMITED', data: { retryAfterMs: 10_000 } } })
  expect(refusal).toHaveProperty('refused.message', expect.stringContaining(text))
  expect(refusal).toHaveProperty('refused.message', expect.stringContaining('herma access --per-address'))
  take(limiter, hold, '10.0.0.8')
  first.release()
  first.release()
  take(limiter, hold, far)
  expect(limiter.hold(hold, far)).toHaveProperty('refused')
  expect(refusals(limiter)).toEqual({ sockets: 0, requests: 0, connections: 0, rate: 0, [hold]: 2 })
})

test('this machine has no limit of its own, and leaves no trace', () => {
  const { limiter } = create({ sockets: 1, connections: 1, opensPerMinute: 10 })
  for (let count = 0; count < 20; count++) {
    for (const hold of ['sockets', 'requests', 'connections'] as const) take(limiter, hold, '127.0.0.1')
    expect(limiter.refusalToOpen('::1')).toBeNull()
  }
  expect(figure(limiter, 'limited_addresses')).toBe(0)
})

test('connections are opened so often, and a refusal says how long to wait', () => {
  const { limiter, clock } = create({ opensPerMinute: 30 })
  for (let count = 0; count < 3; count++) expect(limiter.refusalToOpen(far)).toBeNull()
  expect(limiter.refusalToOpen(far)).toMatchObject({
    retryAfterMs: 2000,
    refused: { message: expect.stringContaining('may open 30 connections a minute. Try again in 2 s') as string },
  })
  expect(limiter.refusalToOpen('10.0.0.8')).toBeNull()
  clock.now += 2000
  expect(limiter.refusalToOpen(far)).toBeNull()
  expect(refusals(limiter)).toMatchObject({ rate: 1 })
})

test('limits that change hold for what comes next, and null is none', () => {
  const { limiter, limits } = create({ sockets: null, opensPerMinute: 10 })
  for (let count = 0; count < 5; count++) take(limiter, 'sockets', far)
  limits.sockets = 5
  expect(limiter.hold('sockets', far)).toHaveProperty('refused')
  limits.sockets = 6
  take(limiter, 'sockets', far)
  limiter.refusalToOpen(far)
  expect(limiter.refusalToOpen(far)).not.toBeNull()
  limits.opensPerMinute = null
  expect(limiter.refusalToOpen(far)).toBeNull()
})

test('addresses that hold nothing are forgotten', () => {
  const { limiter } = create({})
  const held = Array.from({ length: 50 }, (_, index) => take(limiter, 'sockets', `10.0.1.${index}`))
  expect(figure(limiter, 'limited_addresses')).toBe(50)
  for (const each of held) each.release()
  expect(figure(limiter, 'limited_addresses')).toBe(0)
})

test('of the addresses that open connections only so many are remembered', () => {
  const { limiter } = create({ opensPerMinute: 10 }, 2)
  expect(limiter.refusalToOpen('10.0.0.1')).toBeNull()
  expect(limiter.refusalToOpen('10.0.0.1')).not.toBeNull()
  limiter.refusalToOpen('10.0.0.2')
  limiter.refusalToOpen('10.0.0.3')
  expect(limiter.refusalToOpen('10.0.0.1')).toBeNull()
})

type MutableLimits = { -readonly [Name in keyof AddressLimits]: AddressLimits[Name] }

function create(some: Partial<AddressLimits>, maxAddresses?: number) {
  const limits: MutableLimits = { sockets: 100, connections: 100, opensPerMinute: 600, ...some }
  const clock = { now: 0 }
  const bound = maxAddresses === undefined ? {} : { maxAddresses }
  return { limits, clock, limiter: new AddressLimiter({ limits: () => limits, clock: () => clock.now, ...bound }) }
}

function take(limiter: AddressLimiter, hold: AddressHold, address: string) {
  const permit = limiter.hold(hold, address)
  if ('refused' in permit) throw permit.refused
  return permit
}

function figure(limiter: AddressLimiter, name: string): unknown {
  return limiter
    .metrics()
    .find((metric) => metric.name === name)
    ?.read()
}

function refusals(limiter: AddressLimiter): Record<string, number> {
  const samples = figure(limiter, 'address_limit_refusals_total') as { labels: { limit: string }; value: number }[]
  return Object.fromEntries(samples.map(({ labels, value }) => [labels.limit, value]))
}

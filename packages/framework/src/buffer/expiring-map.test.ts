import { expect, test } from 'vitest'
import { ExpiringMap } from './expiring-map.ts'

test('a full map drops the entry that came first, and never grows', () => {
  const map = new ExpiringMap<number>(2)
  const later = Date.now() + 60_000
  map.set('a', 1, later)
  map.set('b', 2, later)
  map.set('a', 3, later)
  map.set('c', 4, later)
  expect([map.size, map.get('a'), map.get('b'), map.get('c')]).toEqual([2, 3, undefined, 4])
})

test('an entry whose time is over is gone', () => {
  const map = new ExpiringMap<number>(2)
  map.set('a', 1, Date.now() - 1)
  expect([map.get('a'), map.size]).toEqual([undefined, 0])
})

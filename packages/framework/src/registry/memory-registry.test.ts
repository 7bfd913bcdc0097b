import { expect, test } from 'vitest'
import { memoryRegistry } from './memory-registry.ts'
import { describeRegistry } from './registry.contract.ts'

describeRegistry('memory', () => memoryRegistry())

test('a renewal puts off the end of a node and of its claims', async () => {
  let now = 0
  const registry = memoryRegistry({ clock: () => now })
  const membership = await registry.join({ id: 'a', url: 'http://a.test', servers: [], load: 0 }, 10)
  await registry.claim('connection', 'a', 100)
  now = 9
  await membership.renew(1)
  now = 18
  expect(await registry.nodes()).toHaveLength(1)
  expect(await registry.owner('connection')).toBe('a')
  now = 19
  expect(await registry.nodes()).toEqual([])
  expect(await registry.owner('connection')).toBeUndefined()
})

test('claiming again puts off the end of a claim', async () => {
  let now = 0
  const registry = memoryRegistry({ clock: () => now })
  await registry.join({ id: 'a', url: 'http://a.test', servers: [], load: 0 }, 1000)
  await registry.claim('connection', 'a', 10)
  now = 9
  await registry.claim('connection', 'a', 10)
  now = 18
  expect(await registry.owner('connection')).toBe('a')
  now = 19
  expect(await registry.owner('connection')).toBeUndefined()
})

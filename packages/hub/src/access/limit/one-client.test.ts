import { expect, test } from 'vitest'
import { oneClient } from './one-client.ts'

test.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '[::1]:5000', '127.0.0.1:80'])(
  '%s is this machine',
  (address) => {
    expect(oneClient(address)).toBeNull()
  },
)

test.each([
  ['10.0.0.7', '::ffff:10.0.0.7'],
  ['10.0.0.7', '10.0.0.7:51234'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
  ['2001:db8:1:2::1', '[2001:db8:1:2::5]:443'],
  ['fe80::1%eth0', 'fe80::2%eth1'],
])('%s and %s are one client', (address, other) => {
  expect(oneClient(address)).toBe(oneClient(other))
  expect(oneClient(address)).not.toBeNull()
})

test.each([
  ['10.0.0.7', '10.0.0.8'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['unknown', '_hidden'],
])('%s and %s are two', (address, other) => {
  expect(oneClient(address)).not.toBe(oneClient(other))
})

test('whatever a proxy writes, only so much of it is kept', () => {
  expect(oneClient('x'.repeat(10_000))).toHaveLength(64)
})

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Seal } from './seal.ts'

test('what was sealed comes back, for the same purpose only', () => {
  const seal = new Seal(undefined, 60_000)
  const sealed = seal.seal({ n: 1, text: 'ü' }, 'a')

  expect(seal.open(sealed, 'a')).toEqual({ n: 1, text: 'ü' })
  expect(() => seal.open(sealed, 'b')).toThrow('Invalid or expired requestState')
  expect(() => new Seal(undefined, 60_000).open(sealed, 'a')).toThrow('Invalid or expired requestState')
})

test('keys can be rotated', () => {
  const [old, next] = [randomBytes(32), randomBytes(32)]
  const sealed = new Seal([old], 60_000).seal('kept', '')

  expect(new Seal([next, old], 60_000).open(sealed, '')).toBe('kept')
  expect(() => new Seal([next], 60_000).open(sealed, '')).toThrow('requestState')
})

test('it expires, and every changed byte is noticed', () => {
  expect(() => new Seal(undefined, -1).open(new Seal(undefined, -1).seal(1, ''), '')).toThrow('requestState')
  const key = [randomBytes(32)]
  expect(() => new Seal(key, 60_000).open(new Seal(key, -1).seal(1, ''), '')).toThrow('expired')
  const seal = new Seal(key, 60_000)
  const bytes = Buffer.from(seal.seal('value', ''), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(() => seal.open(changed.toString('base64url'), '')).toThrow('requestState')
  }
})

test('too much, or a key of the wrong length, is refused with the reason', () => {
  expect(() => new Seal(undefined, 1).seal('x'.repeat(300_000), '')).toThrow(/Return less from once/)
  expect(() => new Seal([new Uint8Array(16)], 1)).toThrow(/has 16 bytes; it must have 32/)
})

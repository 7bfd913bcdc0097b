import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTokenSealer } from './token-sealer.ts'

const key = randomBytes(32)
const rotationMs = 1000

function createAt(time: { now: number }, options: { key?: Buffer; purpose?: string } = {}) {
  return createTokenSealer({ key, purpose: 'test', rotationMs, now: () => time.now, ...options })
}

test.each(['', 'text', '{"a":"ü €"}', 'x'.repeat(100_000)])('what was sealed opens again', (text) => {
  const sealer = createAt({ now: 5000 })
  expect(sealer.open(sealer.seal(text))).toBe(text)
})

test('a token shows nothing and is another one each time', () => {
  const sealer = createAt({ now: 5000 })
  const tokens = [sealer.seal('a secret'), sealer.seal('a secret')]
  expect(tokens[0]).not.toBe(tokens[1])
  expect(Buffer.from(tokens[0]!.split('.')[1]!, 'base64url').includes('a secret')).toBe(false)
})

test('a token of the period before opens, an older one and one of the future do not', () => {
  const time = { now: 10_500 }
  const sealer = createAt(time)
  const token = sealer.seal('text')
  for (const [now, opens] of [
    [10_999, true],
    [11_000, true],
    [11_999, true],
    [12_000, false],
    [20_000, false],
    [9_999, false],
  ] as const) {
    time.now = now
    expect(sealer.open(token), String(now)).toBe(opens ? 'text' : null)
  }
})

test('each period has a key of its own', () => {
  const sealer = createAt({ now: 6500 })
  const [period, body] = sealer.seal('text').split('.') as [string, string]
  const before = (Number.parseInt(period, 36) - 1).toString(36)
  expect(sealer.open(`${before}.${body}`)).toBeNull()
})

test('a token opens after a restart, which has the same key', () => {
  const token = createAt({ now: 5000 }).seal('text')
  expect(createAt({ now: 5999 }).open(token)).toBe('text')
  expect(createAt({ now: 6500 }).open(token)).toBe('text')
})

test('a token of another hub or for another purpose does not open', () => {
  const token = createAt({ now: 5000 }).seal('text')
  expect(createAt({ now: 5000 }, { key: randomBytes(32) }).open(token)).toBeNull()
  expect(createAt({ now: 5000 }, { purpose: 'other' }).open(token)).toBeNull()
})

test('a token does not open when any bit of it is another one', () => {
  const sealer = createAt({ now: 5000 })
  const [period, body] = sealer.seal('text').split('.') as [string, string]
  const bytes = Buffer.from(body, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(sealer.open(`${period}.${changed.toString('base64url')}`), `bit ${bit}`).toBeNull()
  }
  for (let length = 0; length < bytes.length; length++)
    expect(sealer.open(`${period}.${bytes.subarray(0, length).toString('base64url')}`), `${length} bytes`).toBeNull()
})

test.each(['', '.', 'a', '5.', '.abc', '5.+/=', 'zzzzzzzzzzzzz.abcd', '-5.abcd', '5.abcd.efgh', ' 5.abcd', '5.abcd\n'])(
  '%j is no token',
  (token) => {
    expect(createAt({ now: 5000 }).open(token)).toBeNull()
  },
)

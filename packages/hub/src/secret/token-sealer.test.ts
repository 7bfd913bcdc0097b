import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTokenSealer } from './token-sealer.ts'

const key = randomBytes(32)
const rotationMs = 1000

function createAt(time: { now: number }, options: { keys?: Record<string, Buffer>; purpose?: string } = {}) {
  const { keys = { a1: key }, purpose = 'test' } = options
  return createTokenSealer({
    keys: { active: () => Object.entries(keys).at(-1)!, find: (id) => keys[id] },
    purpose,
    rotationMs,
    now: () => time.now,
  })
}

test.each(['', 'text', '{"a":"ü €"}', 'x'.repeat(100_000)])('what was sealed opens again', (text) => {
  const sealer = createAt({ now: 5000 })
  expect(sealer.open(sealer.seal(text))).toBe(text)
})

test('a token shows nothing and is another one each time', () => {
  const sealer = createAt({ now: 5000 })
  const tokens = [sealer.seal('a secret'), sealer.seal('a secret')]
  expect(tokens[0]).not.toBe(tokens[1])
  expect(Buffer.from(tokens[0]!.split('.')[2]!, 'base64url').includes('a secret')).toBe(false)
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
  const [period, id, body] = sealer.seal('text').split('.') as [string, string, string]
  const before = (Number.parseInt(period, 36) - 1).toString(36)
  expect(sealer.open(`${before}.${id}.${body}`)).toBeNull()
})

test('a token opens after a restart, which has the same key', () => {
  const token = createAt({ now: 5000 }).seal('text')
  expect(createAt({ now: 5999 }).open(token)).toBe('text')
  expect(createAt({ now: 6500 }).open(token)).toBe('text')
})

test('a token of another hub or for another purpose does not open', () => {
  const token = createAt({ now: 5000 }).seal('text')
  expect(createAt({ now: 5000 }, { keys: { a1: randomBytes(32) } }).open(token)).toBeNull()
  expect(createAt({ now: 5000 }, { purpose: 'other' }).open(token)).toBeNull()
})

test('a token outlives a rotation of the keys for as long as its key is kept', () => {
  const token = createAt({ now: 5000 }).seal('text')
  const rotated = createAt({ now: 5000 }, { keys: { a1: key, b2: randomBytes(32) } })
  expect(rotated.open(token)).toBe('text')
  expect(rotated.seal('text')).toContain('.b2.')
  expect(createAt({ now: 5000 }, { keys: { b2: randomBytes(32) } }).open(token)).toBeNull()
})

test('a token does not open when any bit of it is another one', () => {
  const sealer = createAt({ now: 5000 })
  const [period, id, body] = sealer.seal('text').split('.') as [string, string, string]
  const bytes = Buffer.from(body, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(sealer.open(`${period}.${id}.${changed.toString('base64url')}`), `bit ${bit}`).toBeNull()
  }
  for (let length = 0; length < bytes.length; length++)
    expect(
      sealer.open(`${period}.${id}.${bytes.subarray(0, length).toString('base64url')}`),
      `${length} bytes`,
    ).toBeNull()
})

test.each([
  '',
  '.',
  'a',
  '5.',
  '5.a1',
  '5.a1.+/=',
  'zzzzzzzzzzzzz.a1.abcd',
  '-5.a1.abcd',
  '5.a1.abcd.efgh',
  ' 5.a1.abcd',
  '5.a1.a\n',
])('%j is no token', (token) => {
  expect(createAt({ now: 5000 }).open(token)).toBeNull()
})

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTokenSealer } from '../../secret/token-sealer.ts'
import type { NewCaller } from './connection.ts'
import { connectionIdLifeMs, ConnectionTokens, nonceOf } from './connection-token.ts'

const keys = new Map([['a1', randomBytes(32)]])
const now = 1_800_000_000_000

function createTokens(options: { keys?: Map<string, Buffer>; now?: number } = {}) {
  const used = options.keys ?? keys
  return new ConnectionTokens(
    createTokenSealer({
      keys: { active: () => [...used].at(-1)!, find: (id) => used.get(id) },
      purpose: 'connection',
      rotationMs: connectionIdLifeMs,
      now: () => options.now ?? now,
    }),
  )
}

const claude: NewCaller = {
  principal: 'operator',
  server: 'facade',
  revision: '2025-11-25',
  clientInfo: { name: 'claude-code', version: '2.1.7', title: 'Claude Code', websiteUrl: 'https://claude.com' },
  capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
}

test('an id says what initialize said, in few characters that a header may have', () => {
  const { token, id, isWhole } = createTokens().issue(claude, now)
  expect(isWhole).toBe(true)
  expect(token).toMatch(/^[\w.-]+$/)
  expect(token.length).toBeLessThan(200)
  expect(nonceOf(token)).toBe(id)
  expect(createTokens().open(token, now)).toEqual({ id, issuedAtSeconds: now / 1000, caller: claude })
})

test('what is absent stays absent', () => {
  const caller = { ...claude, clientInfo: undefined, capabilities: {} }
  expect(createTokens().open(createTokens().issue(caller, now).token, now)?.caller).toEqual(caller)
})

test('two clients that say the same get different ids', () => {
  expect(createTokens().issue(claude, now).id).not.toBe(createTokens().issue(claude, now).id)
})

test('an id that would be too long says only when it was issued', () => {
  const large = { ...claude, capabilities: { experimental: { noise: randomBytes(2000).toString('hex') } } }
  const { token, id, isWhole } = createTokens().issue(large, now)
  expect(isWhole).toBe(false)
  expect(createTokens().open(token, now)).toEqual({ id, issuedAtSeconds: now / 1000, caller: null })
})

test('an id opens with a key that was replaced, and not with one that is gone or of another hub', () => {
  const { token } = createTokens().issue(claude, now)
  const rotated = new Map([...keys, ['b2', randomBytes(32)]])
  expect(createTokens({ keys: rotated }).open(token, now)?.caller).toEqual(claude)
  expect(createTokens({ keys: new Map([['b2', randomBytes(32)]]) }).open(token, now)).toBeNull()
  expect(createTokens({ keys: new Map([['a1', randomBytes(32)]]) }).open(token, now)).toBeNull()
})

test('an id opens until its life is over', () => {
  const { token } = createTokens().issue(claude, now)
  const last = now + connectionIdLifeMs - 1000
  expect(createTokens({ now: last }).open(token, last)?.caller).toEqual(claude)
  const late = now + connectionIdLifeMs
  expect(createTokens({ now: late }).open(token, late)).toBeNull()
})

test('an id that was cut, lengthened or altered anywhere does not open', () => {
  const { token } = createTokens().issue(claude, now)
  for (let index = 0; index < token.length; index++) {
    const other = token[index] === 'A' ? 'B' : 'A'
    expect(createTokens().open(token.slice(0, index) + other + token.slice(index + 1), now), String(index)).toBeNull()
    expect(createTokens().open(token.slice(0, index), now), `cut at ${index}`).toBeNull()
  }
  for (const longer of [`${token}A`, `A${token}`, ` ${token}`, `${token}=`, `0${token}`])
    expect(createTokens().open(longer, now)).toBeNull()
})

test.each(['', '.', '..', 'a.b', '__proto__', 'x'.repeat(10_000), '00000000-0000-4000-8000-000000000000'])(
  'what is no id does not open: %#',
  (text) => {
    expect(createTokens().open(text, now)).toBeNull()
  },
)

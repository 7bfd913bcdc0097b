import { expect, test } from 'vitest'
import { findHeader, isChallenge } from './challenge.ts'

test.each([
  [401, null, true],
  [401, 'Bearer', true],
  [401, 'Basic realm="x"', true],
  [403, 'Bearer error="insufficient_scope", scope="a"', true],
  [403, 'Bearer scope="a", error=insufficient_scope', true],
  [403, 'Bearer error="invalid_token"', false],
  [403, 'Bearer error="insufficient_scopes"', false],
  [403, null, false],
  [400, 'Bearer error="insufficient_scope"', false],
])('a status %s with %s may be lifted by another token: %s', (status, header, expected) => {
  expect(isChallenge(status, header)).toBe(expected)
})

test('a header is found whatever its case', () => {
  const headers = ['Date', 'now', 'WWW-Authenticate', 'Bearer'].map((text) => Buffer.from(text))
  expect(findHeader(headers, 'www-authenticate')).toBe('Bearer')
  expect(findHeader(headers, 'bearer')).toBeNull()
})

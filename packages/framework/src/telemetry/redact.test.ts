import { expect, test } from 'vitest'
import { recordableArguments, recordableUri } from './redact.ts'

test.each([
  ['file:///notes/a.txt', 'file:///notes/a.txt'],
  ['postgres://ann:pass@db/customers', 'postgres://[redacted]@db/customers'],
  ['https://x.test/a?page=2&access_token=abc#top', 'https://x.test/a?page=2&access_token=[redacted]#top'],
  ['https://x.test/a?sig=abc&x-amz-signature=def', 'https://x.test/a?sig=[redacted]&x-amz-signature=[redacted]'],
  ['mail:inbox?about=token', 'mail:inbox?about=token'],
  ['note:a@b', 'note:a@b'],
])('of the URI %s is written %s', (uri, written) => {
  expect(recordableUri(uri, 200)).toBe(written)
})

test('a long URI of delimiters is cut without delay', () => {
  expect(recordableUri('?'.repeat(2_000_000), 10)).toBe(`${'?'.repeat(10)}…`)
})

test('what is named like a secret, or is an authorization header, stays out of recorded arguments', () => {
  const written = recordableArguments(
    {
      user: 'ann',
      password: 'p',
      clientSecret: { deep: 'p' },
      list: ['Basic cDpw', 'basic facts'],
      maxTokens: 3,
      apiToken: null,
    },
    1000,
  )
  expect(JSON.parse(written)).toEqual({
    user: 'ann',
    password: '[redacted]',
    clientSecret: '[redacted]',
    list: ['[redacted]', '[redacted]'],
    maxTokens: 3,
    apiToken: null,
  })
})

test('nothing to record is an empty text', () => {
  expect(recordableArguments(undefined, 10)).toBe('')
})

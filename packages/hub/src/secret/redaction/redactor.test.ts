import { expect, test } from 'vitest'
import { Redactor } from './redactor.ts'

function redactorOf(...values: string[]): Redactor {
  const redactor = new Redactor()
  redactor.set('owner', values)
  return redactor
}

test('every occurrence of a secret is masked and the rest is left alone', () => {
  const redactor = redactorOf('s3cr3t-value', 'other.secret')
  expect(redactor.redact('a s3cr3t-value b other.secret c s3cr3t-value')).toBe('a •••• b •••• c ••••')
  expect(redactor.redact('nothing here, not even s3cr3t-valu')).toBe('nothing here, not even s3cr3t-valu')
  expect(redactor.redact('')).toBe('')
})

test('a secret is masked in the spellings under which it travels', () => {
  const secret = 'p@ss word/"1"\\ü'
  const redactor = redactorOf(secret)
  const base64 = Buffer.from(secret).toString('base64')
  const spellings = [
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    base64.replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ]
  for (const spelling of spellings) expect(redactor.redact(`<${spelling}>`)).toBe('<••••>')
})

test('the part after the scheme of an authorization header is a secret too', () => {
  expect(redactorOf('Bearer abcdef123456').redact('token=abcdef123456')).toBe('token=••••')
  expect(redactorOf('Basic dXNlcjpwYXNz').redact('got dXNlcjpwYXNz')).toBe('got ••••')
})

test('each line of a key with many lines is a secret, since text is redacted line by line', () => {
  const redactor = redactorOf('-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ==\n')
  expect(redactor.redact('line kqhkiG9w0BAQ== end')).toBe('line •••• end')
})

test('values of fewer than six characters and blanks mask nothing', () => {
  expect(redactorOf('', 'true', '12345', '         ').redact('true 12345          ')).toBe('true 12345          ')
})

test('secrets that overlap, contain or follow each other leave no part visible', () => {
  const redactor = redactorOf('abcdefgh', 'efghijkl', 'cdefgh', 'xabcdefghy')
  expect(redactor.redact('abcdefghijkl')).toBe('••••')
  expect(redactor.redact('-xabcdefghy-')).toBe('-••••-')
  expect(redactor.redact('-xabcdefgh-')).toBe('-x••••-')
  expect(redactor.redact('cdefghcdefgh')).toBe('••••')
})

test('an owner whose secrets change or go away no longer has the old ones masked', () => {
  const redactor = new Redactor()
  redactor.set('one', ['first-secret'])
  redactor.set('two', ['other-secret'])
  redactor.set('one', ['second-secret'])
  expect(redactor.redact('first-secret second-secret other-secret')).toBe('first-secret •••• ••••')
  redactor.remove('one')
  expect(redactor.redact('second-secret other-secret')).toBe('second-secret ••••')
})

test('half a surrogate pair in a secret is no obstacle', () => {
  expect(redactorOf('secret\ud800value').redact('a secret\ud800value b')).toBe('a •••• b')
})

test('a million characters against a thousand similar secrets stay one pass', () => {
  const redactor = redactorOf(...Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(40)}${index}-secret`))
  const text = 'a'.repeat(1_000_000)
  expect(redactor.redact(text)).toBe(text)
  expect(redactor.redact(`${text}7-secret`)).toBe(`${'a'.repeat(1_000_000 - 40)}••••`)
})

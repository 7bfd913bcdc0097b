import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
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
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams({ a: secret }).toString().slice(2),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
  ]
  for (const spelling of spellings) expect(redactor.redact(`<${spelling}>`)).toBe('<••••>')
})

test.each(['', 'u', 'us', 'user:', 'x'.repeat(50)])(
  'a secret behind %j and before more is masked in base64 of the whole',
  (before) => {
    const secret = 'canary-7f3a91bc+/ÿ'
    for (const after of ['', ':', ':a', ':abc']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = redactorOf(secret).redact(Buffer.from(before + secret + after).toString(encoding))
        expect(text).toContain('••••')
        const rest = text.split('••••').map((part) => Buffer.from(part, encoding).toString('latin1'))
        // Of the characters at either end a few bits may be left in a digit that a neighbour shares.
        expect(rest.join('')).not.toMatch(/anary|7f3a|91b/)
      }
    }
  },
)

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

test('whatever the secrets and the text, what is masked is what a plain search finds', () => {
  for (let round = 0; round < 300; round++) {
    const letters = 'ab'.repeat(randomInt(1, 3))
    const word = (length: number) => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
    const secrets = Array.from({ length: randomInt(1, 6) }, () => `!${word(randomInt(6, round % 3 === 0 ? 90 : 12))}`)
    const text = Array.from({ length: 12 }, () =>
      randomInt(2) === 0 ? word(9) : secrets[randomInt(secrets.length)],
    ).join('')
    expect(redactorOf(...secrets).redact(text)).toBe(maskSlowly(text, secrets))
  }
})

function maskSlowly(text: string, secrets: readonly string[]): string {
  const isMasked = Array.from({ length: text.length + 1 }, () => false)
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
      isMasked.fill(true, at, at + secret.length)
  }
  return Array.from(text, (letter, index) => (!isMasked[index] ? letter : isMasked[index - 1] ? '' : '••••')).join('')
}

describe('in text that comes in pieces', () => {
  const long = Array.from({ length: 200 }, (_, index) => `${index},`).join('')
  const secrets = ['s3cr3t-value', 's3cr3t-value-longer', 'value-of-another', long]

  test.each(secrets.map((secret) => [secret.slice(0, 20), secret]))('%s is masked wherever it is cut', (_, secret) => {
    const redactor = redactorOf(...secrets)
    const text = `before ${secret} between ${secret}${secret} after`
    const whole = redactor.redact(text)
    for (let step = 1; step < Math.min(text.length, 40); step++) {
      const stream = redactor.createStream()
      let result = ''
      for (let at = 0; at < text.length; at += step) result += stream.push(text.slice(at, at + step))
      expect(result + stream.end(), `pieces of ${step}`).toBe(whole)
    }
  })

  test('only an end that may be the beginning of a secret is held back', () => {
    const stream = redactorOf(...secrets).createStream()
    expect(stream.push('nothing here.')).toBe('nothing here.')
    expect(stream.push(' and s3cr')).toBe(' and ')
    expect(stream.push('et.')).toBe('s3cret.')
    expect(stream.push(' s3cr3t-value-longer')).toBe(' ••••')
    expect(stream.push(` ${long.slice(0, 300)}`)).toBe(' ')
    expect(stream.push('.')).toBe(`${long.slice(0, 300)}.`)
    expect(stream.push('s3cr3t-value')).toBe('')
    expect(stream.end()).toBe('••••')
    expect(stream.end()).toBe('')
  })

  test('a run of secrets that overlap is one mask, and nothing of it is kept', () => {
    const stream = redactorOf('aaaaaaaa').createStream()
    let result = ''
    for (let index = 0; index < 10_000; index++) result += stream.push('aaaa')
    expect(result + stream.push(' b') + stream.end()).toBe('•••• b')
  })
})

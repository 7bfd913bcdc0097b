import { expect, test } from 'vitest'
import { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'

test.each(['', 'a', 'echo', 'a b', 'a\tb', 'files.read/x', '!~', '=?base64?', '?=', '=?utf8?YQ==?='])(
  '%j goes into a header as it is',
  (value) => {
    expect(encodeHeaderValue(value)).toBe(value)
    expect(decodeHeaderValue(value)).toBe(value)
  },
)

test.each([
  ' ',
  ' leading',
  'trailing ',
  'line\nbreak',
  'carriage\rreturn',
  'zero\0byte',
  'größe',
  '日本語',
  '😀',
  '\u007f',
  '=?base64?YQ==?=',
  '=?base64?not base64?=',
])('%j goes into a header in Base64 and comes back', (value) => {
  const encoded = encodeHeaderValue(value)
  expect(encoded).toMatch(/^=\?base64\?[A-Za-z0-9+/]+={0,2}\?=$/)
  expect(decodeHeaderValue(encoded)).toBe(value)
})

test('every single character comes back', () => {
  for (let code = 0; code < 0x250; code++) {
    const value = `a${String.fromCharCode(code)}b`
    expect(decodeHeaderValue(encodeHeaderValue(value))).toBe(value)
  }
})

test.each([
  ['a sentinel with characters outside of the alphabet', '=?base64?!!!!?='],
  ['a sentinel of the wrong length', '=?base64?YQ?='],
  ['a sentinel with text behind its padding', '=?base64?YQ==YQ==?='],
  ['a space at the beginning', ' a'],
  ['a space at the end', 'a '],
  ['a character that needs encoding', 'gr\u00f6\u00dfe'],
  ['a control character', 'a\u0001b'],
])('%s is refused', (_, value) => {
  expect(decodeHeaderValue(value)).toBeUndefined()
})

test('a sentinel around nothing is the empty value', () => {
  expect(decodeHeaderValue('=?base64??=')).toBe('')
})

import { expect, test } from 'vitest'
import { readRows } from './read-rows.ts'

test('a .env file becomes rows, without its comments, quotes and the word export', () => {
  const text =
    '# keys\nLOG_LEVEL=debug # loud\nexport API_KEY="a b=c"\n\nEMPTY=\nPEM="one\\ntwo"\nQUOTED=\'it # stays\''

  expect(readRows(text)).toEqual([
    { name: 'LOG_LEVEL', value: 'debug' },
    { name: 'API_KEY', value: 'a b=c' },
    { name: 'EMPTY', value: '' },
    { name: 'PEM', value: 'one\ntwo' },
    { name: 'QUOTED', value: 'it # stays' },
  ])
})

test('lines of headers become rows', () => {
  expect(readRows('Authorization: Bearer a.b.c\r\nX-Api-Key: k')).toEqual([
    { name: 'Authorization', value: 'Bearer a.b.c' },
    { name: 'X-Api-Key', value: 'k' },
  ])
})

test('a flat JSON object becomes rows, whatever its values are', () => {
  expect(readRows('{"PORT": 8080, "DEBUG": true, "NOTHING": null}')).toEqual([
    { name: 'PORT', value: '8080' },
    { name: 'DEBUG', value: 'true' },
    { name: 'NOTHING', value: '' },
  ])
})

test.each([
  '-----BEGIN PRIVATE KEY-----\nMIIE==\n-----END PRIVATE KEY-----',
  'a sentence of words',
  'https://example.com/a=b',
  '{"nested": {"a": 1}}',
  '{not json',
  '',
])('%j stays one value', (text) => {
  expect(readRows(text)).toBeNull()
})

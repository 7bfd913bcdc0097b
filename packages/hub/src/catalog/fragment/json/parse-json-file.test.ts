import { describe, expect, test } from 'vitest'
import { maxNesting } from '../../../wire/index.ts'
import type { JsonPath } from './json-path.ts'
import { inspectJson } from './inspect-json.ts'
import { maxFileBytes, parseJsonFile } from './parse-json-file.ts'

function errorsOf(text: string | Buffer) {
  const parsed = parseJsonFile(Buffer.from(text))
  if (!('errors' in parsed)) throw new Error('It was taken.')
  return parsed.errors.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`)
}

function documentOf(text: string) {
  const parsed = parseJsonFile(Buffer.from(text))
  if ('errors' in parsed) throw new Error(parsed.errors[0]?.message)
  return parsed.document
}

test.each([
  ['{"a": 1,}', '1:9  JSON has no comma after the last entry. Remove it.'],
  ['[1,\n]', '2:1  JSON has no comma after the last entry. Remove it.'],
  ['{\n  // why\n  "a": 1\n}', '2:3  JSON has no comments. Remove this one.'],
  ['{\n  "a": 1 /* why */\n}', '2:10  JSON has no comments. Remove this one.'],
  ['[/* why */]', '1:2 [0] JSON has no comments. Remove this one.'],
  ['{"a": 1 "b": 2}', '1:9  A comma is missing before this.'],
  ['{"a": {"b": [1 2]}}', '1:16 a.b A comma is missing before this.'],
  ['{a: 1}', '1:2  A key in double quotes is expected.'],
  ['{"a" 1}', '1:6 a A colon is expected here.'],
  ['{"a": \'x\'}', '1:7 a This is no value of JSON. Text is written in double quotes.'],
  ['{"a": 01}', '1:8 a This is no value of JSON.'],
  ['{"a": truex}', '1:11 a This is no value of JSON.'],
  ['{"a": NaN}', '1:7 a This is no value of JSON. Text is written in double quotes.'],
  ['{"a": "x\n"}', '1:7 a This text has no closing quote.'],
  ['{"a": "x', '1:7 a This text has no closing quote.'],
  ['{"a": "\t"}', '1:8 a This character must be escaped, such as \\t.'],
  ['{"a": "\\x"}', '1:8 a JSON has no such escape. A backslash itself is written \\\\.'],
  ['{"a": 1', "1:8  A '}' is missing here."],
  ['{"a": [1', "1:9 a A ']' is missing here."],
  ['{"a":', '1:6 a A value is missing here.'],
  ['{} {}', '1:4  Nothing may follow the end of the JSON value.'],
  ['{"a": 1}\n}', '2:1  Nothing may follow the end of the JSON value.'],
  ['[1,,2]', '1:4 [1] This is no value of JSON. Text is written in double quotes.'],
  ['', 'null:null  It is empty. The least that a file has is {}.'],
  [' \n', 'null:null  It is empty. The least that a file has is {}.'],
])('%j is refused at its place', (text, error) => {
  expect(errorsOf(text)).toEqual([error])
})

test.each([
  ['{"a": 1,\n "a": 2}', ["2:2 a 'a' is given twice. Remove one. The first is in line 1."]],
  ['{"x": [{"a": 1, "\\u0061": 2}]}', ["1:17 x[0].a 'a' is given twice. Remove one. The first is in line 1."]],
  ['{"a": {"__proto__": 1}}', ["1:8 a.__proto__ '__proto__' cannot be a key."]],
  [
    '{"a": 1, "b": {"c": 1, "c": 2}, "a": 2}',
    [
      "1:24 b.c 'c' is given twice. Remove one. The first is in line 1.",
      "1:33 a 'a' is given twice. Remove one. The first is in line 1.",
    ],
  ],
])('a key that cannot be kept is an error: %j', (text, errors) => {
  expect(errorsOf(text)).toEqual(errors)
})

test('what JSON.parse takes and what it refuses is the same for the inspector', () => {
  const valid = ['0', '-0', '-1.5e+3', '1E5', '""', '"\\u00e9\\/"', 'null', ' [ ] ', '{"":{}}', '"\u2028\u007f"']
  const invalid = [
    '-',
    '1.',
    '.5',
    '+1',
    '1e',
    '00',
    '"\\u12g4"',
    '[',
    '}',
    '{"a"}',
    'nul',
    '\u00a01',
    '"\u0000"',
    '0x1',
  ]
  expect(valid.filter((text) => inspectJson(text).length > 0)).toEqual([])
  for (const text of valid) JSON.parse(text)
  expect(invalid.filter((text) => inspectJson(text).length !== 1)).toEqual([])
  for (const text of invalid) expect(() => JSON.parse(text)).toThrow(SyntaxError)
})

describe('a file', () => {
  test('may begin with a byte order mark', () => {
    expect(documentOf('\ufeff{"a": 1}').value).toEqual({ a: 1 })
    expect(errorsOf('\ufeff{a}')[0]).toMatch(/^1:2 /)
  })

  test('that is too large, too deep, too full or no text is refused before it costs anything', () => {
    expect(errorsOf(`"${'x'.repeat(maxFileBytes)}"`)[0]).toContain('larger than 4 MiB')
    expect(errorsOf('['.repeat(maxNesting + 1) + ']'.repeat(maxNesting + 1))[0]).toContain('nested deeper')
    expect(errorsOf(`[${'0,'.repeat(300_000)}0]`)[0]).toContain('entries')
    expect(errorsOf(Buffer.from([0x7b, 0xff, 0x7d]))[0]).toContain('not UTF-8')
  })

  test('with thousands of faults gets a bounded list of errors', () => {
    expect(errorsOf(`{${'"a":1,'.repeat(10_000)}"a":1}`)).toHaveLength(50)
  })
})

describe('the place of a value', () => {
  const text = '{\r\n  "a": {"\\"b": [1, "]{,", {"c": true}]},\r  "größe 😀": null,\n  "d": -1\n}'

  test.each<[JsonPath, string]>([
    [[], '1:1'],
    [['a'], '2:8'],
    [['a', '"b'], '2:16'],
    [['a', '"b', 0], '2:17'],
    [['a', '"b', 1], '2:20'],
    [['a', '"b', 2, 'c'], '2:33'],
    [['größe 😀'], '3:15'],
    [['d'], '4:8'],
  ])('%j is found', (path, place) => {
    const { line, column } = documentOf(text).note(path, '')
    expect(`${line}:${column}`).toBe(place)
  })

  test('is that of its key when the key is meant, and of what is around it when there is none', () => {
    const { note } = documentOf(text)
    expect(note(['a', '"b'], '', 'key')).toMatchObject({ line: 2, column: 9 })
    expect(note(['a', 'missing', 'x'], '')).toMatchObject({ line: 2, column: 8, path: 'a.missing.x' })
    expect(note(['a', '"b', 7], '')).toMatchObject({ line: 2, column: 16, path: 'a["\\"b"][7]' })
    expect(note(['a', '"b', '0'], '')).toMatchObject({ line: 2, column: 16 })
  })
})

import { expect, test } from 'vitest'
import { parseToml } from './parse-toml.ts'

test('tables, dotted and quoted keys, lists of tables and every kind of value are read', () => {
  const text = `# head
title = "a \\"b\\" \\u00e9"
path = 'C:\\dir'
count = 1_000
ratio = -0.5
isOn = true
when = 2026-01-02T03:04:05Z
long = """
one \\
   two"""
raw = '''
a
b'''
a.b."c d" = 1
[x.y]
list = [ 1, [ "two" ], # comment
  { k = 3, l.m = 4 },
]
[[item]]
name = "first"
[item.more]
z = 1
[[item]]
name = "second"
`
  expect(parseToml(text)).toEqual({
    title: 'a "b" é',
    path: 'C:\\dir',
    count: 1000,
    ratio: -0.5,
    isOn: true,
    when: '2026-01-02T03:04:05Z',
    long: 'one two',
    raw: 'a\nb',
    a: { b: { 'c d': 1 } },
    x: { y: { list: [1, ['two'], { k: 3, l: { m: 4 } }] } },
    item: [{ name: 'first', more: { z: 1 } }, { name: 'second' }],
  })
})

test('a key that means something to JavaScript is a key like any other', () => {
  const value = parseToml('[__proto__]\nisAdmin = true\n[constructor]\na = 1')
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined()
})

test.each([
  ['a = 1\na = 2', /line 2, column 1: .*already defined/],
  ['a = 1\n[a]\nb = 2', /line 2, column 2: .*already defined/],
  ['a = "x', /line 1, column 5: unfinished string/],
  ['a = 1 b = 2', /line 1, column 7: .*end-of-line/],
  ['[a', /line 1, column 2: .*cannot find end of key/],
  ['= 1', /line 1, column 1: unexpected end of key/],
])('%j is refused with its line', (text, message) => {
  expect(() => parseToml(text)).toThrow(message)
})

test('what is refused is not quoted, since it may hold a secret', () => {
  expect(() => parseToml('key = "sk-canary" x')).toThrow(/^(?!.*sk-canary)/s)
})

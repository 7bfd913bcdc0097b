import { expect, test } from 'vitest'
import { isBlank, LineReader, type LongLineHandler } from './line-reader.ts'

function read(chunks: readonly string[], limit = 1000, beyond?: 'cut'): string[] {
  const lines: string[] = []
  const reader = new LineReader((line) => lines.push(line.toString('utf8')), limit, beyond ?? longLines(lines))
  for (const chunk of chunks) reader.push(Buffer.from(chunk, 'latin1'))
  return lines
}

test.each([
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
])('lines that end with %s are the same wherever the stream is cut in two', (_, end) => {
  const text = Buffer.from(['{"a":1}', '', 'größe 😀', 'x'].map((line) => line + end).join('')).toString('latin1')
  for (let cut = 0; cut <= text.length; cut++) {
    expect(read([text.slice(0, cut), text.slice(cut)])).toEqual(['{"a":1}', '', 'größe 😀', 'x'])
  }
})

test('a stream that comes byte by byte gives the same lines', () => {
  expect(read('one\ntwo\r\n\nthree\n'.split(''))).toEqual(['one', 'two', '', 'three'])
})

test('a line without an end is not given', () => {
  expect(read(['one\ntw', 'o'])).toEqual(['one'])
})

test('only a carriage return at the very end belongs to the line break', () => {
  expect(read(['a\rb\r\r\n'])).toEqual(['a\rb\r'])
})

test('a line of just the limit passes, and the limit is that of one line', () => {
  expect(read(['12345', '67890\n', '1234567890\n'], 10)).toEqual(['1234567890', '1234567890'])
})

function longLines(lines: string[]): LongLineHandler {
  return {
    onGrow: ({ size }) => {
      if (size > 50_000) throw new Error('it does not end')
    },
    onEnd: ({ head, tail, size }) =>
      lines.push(`${head.toString('latin1', 0, 4)}…${tail.subarray(-4).toString('latin1')} ${size}`),
  }
}

test.each([
  ['in one chunk', ['12345678901\nnext\n']],
  ['in many chunks', ['12345', '67890', '1', '\nne', 'xt\n']],
])('of a line beyond the limit begin and end are told, and the next one is whole, %s', (_, chunks) => {
  expect(read(chunks, 10)).toEqual(['1234…8901 11', 'next'])
})

test('of a very long line only begin and end are kept', () => {
  expect(read(['begin', ...Array.from({ length: 40 }, () => 'x'.repeat(1000)), 'end.\nnext\n'], 10)).toEqual([
    'begi…end. 40009',
    'next',
  ])
  expect(() => read(['x'.repeat(60_000)], 10)).toThrow('it does not end')
})

test('a line beyond the limit is cut where that is asked for, and the next one is whole', () => {
  expect(read(['1234567', '8901', '2345\nnext\n'], 10, 'cut')).toEqual(['1234567890', 'next'])
})

test.each([
  ['', true],
  [' \t\r', true],
  [' x', false],
])('whether %j is blank', (text, expected) => {
  expect(isBlank(Buffer.from(text))).toBe(expected)
})

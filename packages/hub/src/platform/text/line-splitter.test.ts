import { expect, test } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

function split(chunks: readonly (string | Buffer)[], maxLength = 5): [string, boolean][] {
  const lines: [string, boolean][] = []
  const splitter = new LineSplitter({ maxLength, onLine: (...line) => void lines.push(line) })
  for (const chunk of chunks) splitter.push(Buffer.from(chunk))
  splitter.end()
  return lines
}

test('lines come whole however they are cut on the way, the last one without its end too', () => {
  expect(split(['a\nb', 'c\n\n', 'd'])).toEqual([
    ['a', false],
    ['bc', false],
    ['', false],
    ['d', false],
  ])
})

test('of a line beyond the limit the beginning comes, and the next one is whole', () => {
  expect(split(['123', '456', '789\nab\n12345\n'])).toEqual([
    ['12345', true],
    ['ab', false],
    ['12345', false],
  ])
})

test('a sign of several bytes that is cut in two is one sign', () => {
  const bytes = Buffer.from('é\n')
  expect(split([bytes.subarray(0, 1), bytes.subarray(1)])).toEqual([['é', false]])
})

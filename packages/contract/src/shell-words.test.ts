import { expect, test } from 'vitest'
import { quoteWord, splitWords } from './shell-words.ts'

test.each([
  ['-y @scope/server --flag value', ['-y', '@scope/server', '--flag', 'value']],
  [`--root '/srv/team docs' --name "a \\"b\\""`, ['--root', '/srv/team docs', '--name', 'a "b"']],
  [String.raw`C:\\data a\ b`, ['C:\\data', 'a b']],
  ['one \\\n  two', ['one', 'two']],
  [`'' x`, ['', 'x']],
  [`--a='b c'd`, ['--a=b cd']],
  ['  ', []],
])('%j is split as a shell would', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

test('whatever was quoted is read back as it was', () => {
  const words = ['plain', '', 'two words', `it's`, '$HOME', '{cwd}/x', '--a=b', 'new\nline']

  expect(splitWords(words.map(quoteWord).join(' '))).toEqual(words)
})

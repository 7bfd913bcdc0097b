import { expect, test } from 'vitest'

import { readCommandLine } from './read-command-line.ts'

test.each([
  ['', []],
  ['  node server.js --port 3 ', ['node', 'server.js', '--port', '3']],
  [`run 'a b' "c d" e\\ f ""`, ['run', 'a b', 'c d', 'e f', '']],
  [`say "it's \\"here\\"" '\\n' x"y"z`, ['say', `it's "here"`, '\\n', 'xyz']],
])('%j is the words %j', (line, words) => {
  expect(readCommandLine(line)).toEqual(words)
})

test('a quote that is not closed is refused', () => {
  expect(() => readCommandLine('run "a b')).toThrow('not closed')
})

import { expect, test } from 'vitest'
import { LineReader } from './line-reader.ts'

function read(maxBytes: number, chunks: readonly string[]) {
  const lines: string[] = []
  const reader = new LineReader(maxBytes, {
    line: (line) => lines.push(line.toString()),
    tooLong: () => lines.push('!'),
  })
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  return lines
}

test.each([
  [['a\nb\n'], ['a', 'b']],
  [['a', 'b', 'c\n'], ['abc']],
  [
    ['one\r\n', '\n', '  \n', 'two\n'],
    ['one\r', 'two'],
  ],
  [['unfinished'], []],
  [['0123456789a\nok\n'], ['!', 'ok']],
  [
    ['01234', '56789', 'abcdef', 'gh\n', 'ok\n'],
    ['!', 'ok'],
  ],
  [['0123456789\n'], ['0123456789']],
])('%j is read as %j', (chunks, lines) => {
  expect(read(10, chunks)).toEqual(lines)
})

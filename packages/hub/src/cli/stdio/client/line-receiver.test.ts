import { expect, test } from 'vitest'

import { LineReceiver } from './line-receiver.ts'

function readIn(pieces: readonly string[], limit = 1000) {
  const seen: unknown[] = []
  const receiver = new LineReceiver(
    { onLine: (line) => seen.push(line.toString('utf8')), onLongLine: (id) => seen.push({ id }) },
    limit,
  )
  for (const piece of pieces) receiver.push(Buffer.from(piece))
  receiver.end()
  return seen
}

test('lines are found wherever the pieces were cut, and empty ones are skipped', () => {
  expect(readIn(['one\ntw', 'o\r', '\n\n\r\nthree\n', '\n'])).toEqual(['one', 'two', 'three'])
})

test('the end of the input ends the last line', () => {
  expect(readIn(['one\ntwo'])).toEqual(['one', 'two'])
})

test('a character that was cut in two is whole again', () => {
  const seen: string[] = []
  const receiver = new LineReceiver({ onLine: (line) => seen.push(line.toString('utf8')), onLongLine: () => {} }, 1000)
  for (const byte of Buffer.from('grüße\n')) receiver.push(Buffer.from([byte]))
  expect(seen).toEqual(['grüße'])
})

const filler = 'x'.repeat(2000)

test.each([
  ['in front', `{"jsonrpc":"2.0","id":7,"method":"m","params":{"text":"${filler}"}}`, 7],
  ['at the end', `{"method":"m","params":{"text":"${filler}"},"jsonrpc":"2.0","id":"a\\"b"}`, 'a"b'],
  ['inside of something else', `{"method":"m","params":{"id":1,"text":"${filler}"}}`, null],
  ['in a form that is no JSON', `{"id":007,"text":"${filler}"}`, null],
])('of a line that is too long, an id %s is told as what it is, and the next line is read', (_, line, id) => {
  expect(readIn([line.slice(0, 900), `${line.slice(900)}\nnext\n`])).toEqual([{ id }, 'next'])
})

test('a line of exactly the limit is not too long', () => {
  expect(readIn([`${'y'.repeat(1000)}\n${'z'.repeat(1001)}\n`])).toEqual(['y'.repeat(1000), { id: null }])
})

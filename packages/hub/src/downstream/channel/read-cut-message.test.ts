import { expect, test } from 'vitest'
import { readCutMessage } from './read-cut-message.ts'

const long = `{"content":[{"type":"text","text":"${'x'.repeat(200)}\\",\\"id\\":9}"}]}`

test.each([
  ['first', `{"jsonrpc":"2.0","id":7,"result":${long}}`, 7, null],
  ['last', `{"jsonrpc":"2.0","result":${long},"id":7}`, 7, null],
  ['before the last', `{"result":${long},"id":7,"jsonrpc":"2.0"}\r`, 7, null],
  ['as text', `{ "id" : "a\\"b" , "result" : ${long} }`, 'a"b', null],
  [
    'of a question',
    `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":${long}}`,
    'q',
    'sampling/createMessage',
  ],
  ['of nothing', `{"jsonrpc":"2.0","method":"notifications/message","params":${long}}`, null, 'notifications/message'],
  ['inside only', `{"result":{"id":7,"more":${long},"id":8}}`, null, null],
  ['in a text at the end', `{"result":["${'x'.repeat(200)},\\"id\\":9}"]}`, null, null],
  ['of several', `[{"jsonrpc":"2.0","id":7,"result":${long}}]`, null, null],
])('an id that stands %s', (_, text, id, method) => {
  const bytes = Buffer.from(text)
  expect(readCutMessage(bytes.subarray(0, 100), bytes.subarray(-100))).toEqual({ id, method })
})

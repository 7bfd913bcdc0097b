import { expect, test } from 'vitest'
import { readAnswerError } from './answer-error.ts'

const read = (text: string) => readAnswerError(Buffer.from(text))

test('the error of an answer is found with everything in it', () => {
  const error = { code: -32042, message: 'm', data: { elicitations: [] } }
  expect(read(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))).toMatchObject(error)
})

test.each([
  ['a result', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ['a result with the word in it', '{"jsonrpc":"2.0","id":1,"result":{"error":{"code":1,"message":"m"}}}'],
  ['an error without a code', '{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}'],
  ['an error that is text', '{"jsonrpc":"2.0","id":1,"error":"broken"}'],
  ['a list', '["error"]'],
  ['no JSON', '{"error"'],
  ['nothing', ''],
])('%s has none', (_, text) => {
  expect(read(text)).toBeNull()
})

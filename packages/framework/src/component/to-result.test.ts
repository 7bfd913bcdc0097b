import { expect, test } from 'vitest'
import { toPromptResult, toResourceResult, toToolResult } from './to-result.ts'

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

test.each([
  ['words', text('words')],
  [7, text('7')],
  [false, text('false')],
  [undefined, { content: [] }],
  [null, { content: [] }],
  [{ type: 'text', text: 'block' }, text('block')],
  [[{ type: 'text', text: 'block' }], text('block')],
  [
    { content: [], isError: true },
    { content: [], isError: true },
  ],
  // Ordinary data that looks a little like content.
  [[], text('[]')],
  [[1, 2], text('[1,2]')],
  [{ type: 'text' }, text('{"type":"text"}')],
  [{ type: 'invoice', total: 3 }, text('{"type":"invoice","total":3}')],
  [{ content: 'a page' }, text('{"content":"a page"}')],
])('a tool that returns %j answers %j', (output, result) => {
  expect(toToolResult(output)).toEqual(result)
})

test('a resource is text, bytes, or whatever says so itself', () => {
  const read = (output: Parameters<typeof toResourceResult>[0]) => toResourceResult(output, 'a://b', 'text/x').contents
  expect(read('t')).toEqual([{ uri: 'a://b', mimeType: 'text/x', text: 't' }])
  expect(read(new Uint8Array([255]))).toEqual([{ uri: 'a://b', mimeType: 'text/x', blob: '/w==' }])
  expect(read({ blob: new Uint8Array([1]), mimeType: 'image/png' })).toEqual([
    { uri: 'a://b', mimeType: 'image/png', blob: 'AQ==' },
  ])
  expect(read({ contents: [] })).toEqual([])
})

test('a prompt is a text of the user, messages, or a whole result', () => {
  const message = { role: 'assistant' as const, content: { type: 'text' as const, text: 'b' } }
  expect(toPromptResult('a', 'd')).toEqual({
    description: 'd',
    messages: [{ role: 'user', content: { type: 'text', text: 'a' } }],
  })
  expect(toPromptResult([message], undefined)).toEqual({ messages: [message] })
  expect(toPromptResult({ messages: [], description: 'own' }, 'd')).toEqual({ messages: [], description: 'own' })
})

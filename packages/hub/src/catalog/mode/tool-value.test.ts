import { expect, test } from 'vitest'
import { toolValue } from './tool-value.ts'

const text = (...texts: string[]) => ({ content: texts.map((each) => ({ type: 'text', text: each })) })

test.each([
  [{ ...text('{"a":2}'), structuredContent: { a: 1 } }, { a: 1 }],
  [text('{"a":2}'), { a: 2 }],
  [text(' [1, 2] '), [1, 2]],
  [text('{not json}'), '{not json}'],
  [text('007'), '007'],
  [text('true'), 'true'],
  [text('one', 'two'), 'one\ntwo'],
  [text(), ''],
  [{ content: [{ type: 'image', data: 'x' }] }, [{ type: 'image', data: 'x' }]],
])('%j is worth %j', (result, value) => {
  expect(toolValue('t', result)).toEqual(value)
})

test('an error is thrown with what the tool says', () => {
  expect(() => toolValue('t', { ...text('no such file'), isError: true })).toThrow('t: no such file')
  expect(() => toolValue('t', { content: [], isError: true })).toThrow('t: failed without saying why')
})

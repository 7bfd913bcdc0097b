import { expect, test } from 'vitest'
import { readInputRequired, withQuestionParams } from './input-required.ts'

const bytes = (message: unknown) => Buffer.from(JSON.stringify(message))
const answer = (result: unknown) => bytes({ jsonrpc: '2.0', id: 1, result })

test('an interim answer says what is asked and which state to come back with', () => {
  const result = {
    resultType: 'input_required',
    requestState: 's',
    inputRequests: { a: { method: 'roots/list' }, b: { method: 'elicitation/create', params: { message: 'm' } } },
    _meta: { kept: true },
  }
  const read = readInputRequired(answer(result))
  expect(read).toMatchObject({ result, requestState: 's' })
  expect([...read!.questions]).toMatchObject([
    ['a', { method: 'roots/list', params: undefined }],
    ['b', { method: 'elicitation/create', params: { message: 'm' } }],
  ])
})

test('an interim answer may have nothing but a state, or nothing but questions', () => {
  expect(readInputRequired(answer({ resultType: 'input_required', requestState: 's' }))).toMatchObject({
    questions: new Map(),
    requestState: 's',
  })
  const asked = readInputRequired(answer({ resultType: 'input_required', inputRequests: { a: { method: 'x' } } }))
  expect(asked?.requestState).toBeUndefined()
  expect([...asked!.questions.keys()]).toEqual(['a'])
})

test('what is no question is left out', () => {
  const inputRequests = { a: null, b: {}, c: { method: 5 }, d: 'x', e: { method: 'roots/list', params: 'odd' } }
  const read = readInputRequired(answer({ resultType: 'input_required', inputRequests, requestState: 7 }))
  expect(read).toMatchObject({ questions: new Map([['e', { method: 'roots/list', params: undefined }]]) })
  expect(read?.requestState).toBeUndefined()
})

test.each([
  ['a final answer', { resultType: 'complete', content: [] }],
  ['one that talks about it', { content: [{ type: 'text', text: '"input_required"' }] }],
  ['one that has the word elsewhere', { structuredContent: { resultType: 'input_required' } }],
  ['a list', []],
  ['nothing', null],
])('%s is none', (_, result) => {
  expect(readInputRequired(answer(result))).toBeNull()
})

test('an error is none, whatever it says', () => {
  expect(
    readInputRequired(bytes({ jsonrpc: '2.0', id: 1, error: { code: 1, message: '"input_required"' } })),
  ).toBeNull()
  expect(readInputRequired(bytes({ id: 1, error: { data: { resultType: 'input_required' } } }))).toBeNull()
})

test('a question that its server left without params has some for the client', () => {
  const params = { message: 'm' }
  const inputRequests = { a: { method: 'roots/list' }, b: { method: 'elicitation/create', params } }
  const complete = { a: { method: 'roots/list', params: {} }, b: { method: 'elicitation/create', params } }
  expect(withQuestionParams({ requestState: 's', inputRequests })).toEqual({
    requestState: 's',
    inputRequests: complete,
  })
  const result = { inputRequests: complete }
  expect(withQuestionParams(result)).toBe(result)
  expect(withQuestionParams({ requestState: 's' })).toEqual({ requestState: 's' })
})

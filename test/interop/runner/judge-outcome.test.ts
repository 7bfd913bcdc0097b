import { expect, test } from 'vitest'
import type { Step } from './attempts.ts'
import { judgeOutcome } from './judge-outcome.ts'

const result = { content: [{ type: 'text', text: 'hello' }], structuredContent: { word: 'hello' } }
const step: Step = { request: { method: 'tools/call', params: { name: 'echo' } }, expected: { result } }

test('exactly the expected result is right, whatever the modern era adds to it', () => {
  const shown = { ...result, resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x' } } }
  expect(judgeOutcome({}, step, { result: shown })).toBeUndefined()
})

test('a result that says that it is no error is as good as one that does not say it', () => {
  expect(judgeOutcome({}, step, { result: { ...result, isError: false } })).toBeUndefined()
  expect(judgeOutcome({}, step, { result: { ...result, isError: true } })).toContain('"isError":true')
})

test('anything more, less or different is wrong, and both sides are shown', () => {
  expect(judgeOutcome({}, step, { result: { ...result, more: 1 } })).toMatch(/showed .*"more":1[^]*instead of/)
  expect(judgeOutcome({}, step, { result: { content: result.content } })).toContain('instead of')
})

test('a client that shows a part of a result is held to that part', () => {
  const client = { shows: (_: unknown, whole: unknown) => (whole as typeof result).structuredContent }
  expect(judgeOutcome(client, step, { result: { word: 'hello' } })).toBeUndefined()
  expect(judgeOutcome(client, step, { result: { word: 'bye' } })).toContain('bye')
})

test('an error is right only where one is expected, with its code', () => {
  const refused: Step = { ...step, expected: { error: { code: -32602 } } }
  expect(judgeOutcome({}, refused, { error: { code: -32602, message: 'Whatever.' } })).toBeUndefined()
  expect(judgeOutcome({}, refused, { error: { code: -32603 } })).toContain('{"code":-32603} instead of {"code":-32602}')
  expect(judgeOutcome({}, refused, { result })).toContain('error nothing instead of')
  expect(judgeOutcome({}, step, { error: { code: -32603 } })).toContain('instead of nothing')
})

test('an error that a server made has to arrive whole', () => {
  const error = { code: -32099, message: 'Sealed.', data: { vault: '#1189234567890123457' } }
  const sealed: Step = { ...step, expected: { error } }
  expect(judgeOutcome({}, sealed, { error: { ...error } })).toBeUndefined()
  expect(judgeOutcome({}, sealed, { error: { ...error, code: -32603 } })).toContain('-32603')
  expect(judgeOutcome({}, sealed, { error: { ...error, message: 'Not found.' } })).toContain('Not found.')
  expect(judgeOutcome({}, sealed, { error: { code: -32099, message: 'Sealed.' } })).toContain('instead of')
})

test('progress must come in order, and only the last event may be missing', () => {
  const long: Step = { ...step, expected: { result, progress: [1, 2, 3, 4] } }
  const judge = (progress?: number[]) => judgeOutcome({}, long, progress ? { result, progress } : { result })
  expect(judge([1, 2, 3, 4])).toBeUndefined()
  expect(judge([1, 2, 3])).toBeUndefined()
  // This client shows no progress at all.
  expect(judge()).toBeUndefined()
  expect(judge([])).toContain('progress [] instead of [1,2,3,4]')
  expect(judge([1, 2])).toContain('progress')
  expect(judge([1, 3, 2, 4])).toContain('progress')
  expect(judge([1, 2, 3, 4, 4])).toContain('progress')
})

test('a long result is cut in the message', () => {
  const message = judgeOutcome({}, step, { result: { text: 'x'.repeat(100_000) } })
  expect(message?.length).toBeLessThan(2000)
})

import { expect, test } from 'vitest'
import { payloadText } from '../downstream/test-tools.ts'
import { makeCheck } from './check-answer.ts'
import type { Reply } from './mcp-client.ts'

const expected = { payloadBytes: 2000, toolCount: 2 }

const reply = (message: object, id = 7): Reply => ({
  id,
  body: Buffer.from(JSON.stringify(message)),
  isEventStream: false,
})

const textAnswer = (text: string, id = 7, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }], ...more },
})

test('an echo must come back with its own id and text', () => {
  const check = makeCheck('echo', expected)
  expect(check(reply(textAnswer('hello')), 'hello')).toBeNull()
  expect(check(reply(textAnswer('other')), 'hello')).toMatch(/wrong text/)
  expect(check(reply(textAnswer('hello', 8)), 'hello')).toMatch(/no message answers id 7/)
  expect(check(reply(textAnswer('hello', 7, { isError: true })), 'hello')).toMatch(/reports an error/)
  expect(check(reply({ jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'broken' } }), 'hello')).toMatch(/broken/)
})

test('an echo may come in an event stream', () => {
  const body = Buffer.from(`event: message\ndata: ${JSON.stringify(textAnswer('hello'))}\n\n`)
  expect(makeCheck('echo', expected)({ id: 7, body, isEventStream: true }, 'hello')).toBeNull()
})

test('a payload must be whole, unchanged and for the request that was sent', () => {
  const check = makeCheck('payload', expected)
  const text = payloadText(2000)
  expect(Buffer.byteLength(text)).toBe(2000)
  expect(check(reply(textAnswer(text)), '')).toBeNull()
  expect(check(reply({ result: { content: [{ type: 'text', text }] }, jsonrpc: '2.0', id: 7 }), '')).toBeNull()
  expect(check(reply(textAnswer(text.slice(0, -1))), '')).toMatch(/wrong text/)
  expect(check(reply(textAnswer(text.replace('42', '43'))), '')).toMatch(/wrong text/)
  expect(check(reply(textAnswer(text, 8)), '')).toMatch(/no message/)
  expect(check(reply(textAnswer(text, 7, { isError: true })), '')).toMatch(/reports an error/)
})

test('a list must have every tool each time, in one page', () => {
  const check = makeCheck('list', expected)
  const tools = ['a', 'b'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  const list = (some: object[], id: number, more: object = {}) =>
    reply({ jsonrpc: '2.0', id, result: { tools: some, ...more } }, id)
  expect(check(list(tools, 1), '')).toBeNull()
  expect(check(list(tools, 22), '')).toBeNull()
  expect(check(list(tools.slice(1), 3), '')).toMatch(/1 tools instead of 2/)
  expect(check(list([...tools.slice(1), ...tools.slice(1)], 4), '')).toMatch(/1 tools instead of 2/)
  expect(check(list(tools, 5, { nextCursor: 'x' }), '')).toMatch(/pages/)
})

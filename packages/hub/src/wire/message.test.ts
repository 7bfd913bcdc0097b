import { describe, expect, test } from 'vitest'
import { isNotification, isRequest, parseJson, toMessage } from './message.ts'

describe('a message', () => {
  test.each([
    ['a request', { jsonrpc: '2.0', id: 1, method: 'ping' }],
    ['a request with a text id', { jsonrpc: '2.0', id: '', method: 'ping', params: {} }],
    ['a request with id 0', { jsonrpc: '2.0', id: 0, method: 'ping' }],
    ['a request with a negative id', { jsonrpc: '2.0', id: -1, method: 'ping' }],
    ['a request with unknown members', { jsonrpc: '2.0', id: 1, method: 'ping', extra: { a: 1 } }],
    ['the largest safe id', { jsonrpc: '2.0', id: Number.MAX_SAFE_INTEGER, method: 'ping' }],
  ])('is taken as it is: %s', (_, value) => {
    const message = toMessage(value)
    expect(message).toBe(value)
    expect([isRequest(message), isNotification(message)]).toEqual([true, false])
  })

  test('without an id is a notification', () => {
    const message = toMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([isRequest(message), isNotification(message)]).toEqual([false, true])
  })

  test.each([
    ['a result', { jsonrpc: '2.0', id: 1, result: null }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }],
    ['an error that could not tell the id', { jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }],
  ])('without a method is %s', (_, value) => {
    const message = toMessage(value)
    expect([isRequest(message), isNotification(message)]).toEqual([false, false])
  })

  test.each([
    ['must be a JSON object', null],
    ['must be a JSON object', 1],
    ['must be a JSON object', 'text'],
    ['must be a JSON object', []],
    ['"jsonrpc" must be "2.0"', {}],
    ['"jsonrpc" must be "2.0"', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['"jsonrpc" must be "2.0"', { jsonrpc: 2, id: 1, method: 'ping' }],
    ['"jsonrpc" must be "2.0"', { id: 1, method: 'ping' }],
    ['needs a "method"', { jsonrpc: '2.0' }],
    ['needs a "method"', { jsonrpc: '2.0', id: null, result: {} }],
    ['needs a "result" or an "error"', { jsonrpc: '2.0', id: 1 }],
    ['"method" must be a string', { jsonrpc: '2.0', id: 1, method: null }],
    ['"method" must be a string', { jsonrpc: '2.0', id: 1, method: 5 }],
    ['"id" must be', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['"id" must be', { jsonrpc: '2.0', id: true, method: 'ping' }],
    ['"id" must be', { jsonrpc: '2.0', id: {}, method: 'ping' }],
    ['"id" must be', { jsonrpc: '2.0', id: [], method: 'ping' }],
    ['"id" must be', { jsonrpc: '2.0', id: Number.POSITIVE_INFINITY, method: 'ping' }],
    // Beyond 2^53 the number that comes back would be another one than the client sent.
    ['"id" must be', { jsonrpc: '2.0', id: 2 ** 53, method: 'ping' }],
    ['"id" must be', { jsonrpc: '2.0', id: -1e300, method: 'ping' }],
    ['"params" must be an object', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['"params" must be an object', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }],
    ['"params" must be an object', { jsonrpc: '2.0', id: 1, method: 'ping', params: 'text' }],
  ])('is refused, since it %s', (problem, value) => {
    expect(() => toMessage(value)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    expect(() => toMessage(value)).toThrow(problem)
  })
})

test.each(['', '{', '{"a":1}}', "{'a':1}", 'undefined', '{"a":NaN}', '\uFEFF'])('%j is no JSON', (text) => {
  expect(() => parseJson(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'PARSE_ERROR' }))
})

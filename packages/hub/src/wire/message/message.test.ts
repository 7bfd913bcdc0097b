import { describe, expect, test } from 'vitest'
import {
  idTextOf,
  isNotification,
  isRequest,
  parseJson,
  toIdKey,
  toIdValue,
  toMessage,
  UnreadMessage,
  type RequestMessage,
} from './message.ts'
import { RawJson } from '../json/json-text.ts'

describe('a message', () => {
  test.each([
    ['a request', { jsonrpc: '2.0', id: 1, method: 'ping' }],
    ['a request with a text id', { jsonrpc: '2.0', id: '', method: 'ping', params: {} }],
    ['a request with id 0', { jsonrpc: '2.0', id: 0, method: 'ping' }],
    ['a request with a negative id', { jsonrpc: '2.0', id: -1, method: 'ping' }],
    ['a request with unknown members', { jsonrpc: '2.0', id: 1, method: 'ping', extra: { a: 1 } }],
    ['an id beyond 2^53', { jsonrpc: '2.0', id: 2 ** 60, method: 'ping' }],
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

test('a body that is no UTF-8 is refused instead of changed', () => {
  const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')])
  expect(() => parseJson(body)).toThrow('not valid UTF-8')
  expect(parseJson(Buffer.from('{"a":"\ufffd"}'))).toMatchObject({ a: '\ufffd' })
})

describe('the id of a request', () => {
  test.each(['1', '-3', '1.0', '1E2', '1e400', '12345678901234567890', '"a"', '"\\u0041"', '""', '"x\\"id\\":1}"'])(
    '%s is known as it was written, wherever it stands',
    (id) => {
      for (const text of [
        `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
        `{"method":"ping","params":{"id":5},"jsonrpc":"2.0","id":${id}}`,
        ` { "id" : ${id} , "jsonrpc":"2.0", "method":"ping","params":{"id":9} }`,
        `{"jsonrpc":"2.0","id":99,"method":"ping","id":${id},"params":{}}`,
      ]) {
        expect(idTextOf(parseJson(Buffer.from(text)) as RequestMessage)).toBe(id)
      }
    },
  )

  test('is told from others that JavaScript takes for the same', () => {
    const [one, other] = ['1189234567890123457', '1189234567890123458']
    expect(Number(one)).toBe(Number(other))
    expect(toIdKey(Number(one), one)).not.toBe(toIdKey(Number(other), other))
    expect(toIdKey(1, '1.0')).toBe(toIdKey(1, '1'))
    expect(toIdValue(Number(one), one)).toEqual(new RawJson(one))
    expect(toIdValue(5, '5')).toBe(5)
  })

  test('of a request that is too deep to read is found', () => {
    const deep = '['.repeat(1500) + ']'.repeat(1500)
    const read = (text: string) => {
      try {
        return parseJson(Buffer.from(text))
      } catch (error) {
        return error
      }
    }
    expect(read(`{"jsonrpc":"2.0","params":{"a":${deep}},"id":12345678901234567890}`)).toMatchObject({
      idText: '12345678901234567890',
      message: expect.stringContaining('nested deeper'),
    })
    expect(read(`{"params":{"a":${deep}}}`)).not.toBeInstanceOf(UnreadMessage)
    expect(read(deep)).not.toBeInstanceOf(UnreadMessage)
  })
})

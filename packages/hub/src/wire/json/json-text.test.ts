import { describe, expect, test } from 'vitest'
import { findRepeatedKey, listElements } from './json-places.ts'
import { markMembers, RawJson, readJson, rememberMembers, textAt, writeJson } from './json-text.ts'

type Json = Record<string, unknown>

const hostile =
  '{ "jsonrpc":"2.0", "id" : 7,\n "method":"tools/call","params":{"name":"a.b","arguments":{"id":1189234567890123457,"x":1.0,"y":1E400,"k":1,"k":2,"s":"\\u0041\\"}"},"_meta":{"progressToken":12345678901234567890,"vendor":-0}}}'

function read(text: string): Json {
  return readJson(text) as Json
}

function paramsOf(message: Json): Json {
  return message['params'] as Json
}

describe('what was read and not changed', () => {
  test('is written as it came', () => {
    expect(writeJson(read(hostile))).toBe(hostile)
    expect(writeJson({ ...read(hostile) })).toBe(hostile)
  })

  test('is found in lists too', () => {
    const list = readJson(`[ {"a":1.0} , 5, [1], {"b":2.0}]`) as Json[]
    expect(list.map((each) => writeJson(each))).toEqual(['{"a":1.0}', '5', '[1]', '{"b":2.0}'])
  })
})

describe('a changed copy', () => {
  test('differs at the changed places only', () => {
    const message = read(hostile)
    const params = paramsOf(message)
    const meta = { ...(params['_meta'] as Json), progressToken: 3 }
    const copy = { ...message, id: 12, params: { ...params, name: 'c', _meta: meta } }
    expect(writeJson(copy)).toBe(
      hostile.replace('"id" : 7', '"id" : 12').replace('"a.b"', '"c"').replace('12345678901234567890', '3'),
    )
  })

  test.each([
    ['the first member', '{"a":1.0,"b":2.0,"c":3.0}', ['a'], '{"b":2.0,"c":3.0}'],
    ['one in the middle', '{"a":1.0, "b":2.0 ,"c":3.0}', ['b'], '{"a":1.0 ,"c":3.0}'],
    ['the last one', '{"a":1.0,"b":2.0}', ['b'], '{"a":1.0}'],
    ['the first two', '{ "a":1.0,"b":2.0,"c":3.0}', ['a', 'b'], '{ "c":3.0}'],
    ['the last two', '{"a":1.0,"b":2.0,"c":3.0}', ['b', 'c'], '{"a":1.0}'],
    ['all', '{"a":1.0,"b":2.0}', ['a', 'b'], '{}'],
    ['the first and the last', '{"a":1.0,"b":2.0,"c":3.0}', ['a', 'c'], '{"b":2.0}'],
  ])('may lack %s', (_, text, without, expected) => {
    const kept = Object.fromEntries(without.map((key) => [key, undefined]))
    expect(writeJson({ ...read(text), ...kept })).toBe(expected)
    const copy: Json = { ...read(text) }
    for (const key of without) delete copy[key]
    expect(writeJson(copy)).toBe(expected)
  })

  test.each([
    ['to none', '{}', {}, '{"z":1}'],
    ['to none with space', '{ }', {}, '{ "z":1}'],
    ['behind others', '{"a":1.0 }', {}, '{"a":1.0,"z":1 }'],
    ['in place of the only one', '{"a":1.0}', { a: undefined }, '{"z":1}'],
    ['in place of the last one', '{"a":1.0,"b":2}', { b: undefined }, '{"a":1.0,"z":1}'],
  ])('may have a member more: %s', (_, text, changes, expected) => {
    expect(writeJson({ ...read(text), ...changes, z: 1 })).toBe(expected)
  })

  test('keeps what was read elsewhere as it was there', () => {
    const answer = read('{"result":{"total":9007199254740993}}')
    markMembers(answer)
    const question = read('{"id":1.0,"result":{"total":1}}')
    expect(writeJson({ ...question, result: answer['result'] })).toBe('{"id":1.0,"result":{"total":9007199254740993}}')
    expect(writeJson({ id: 1, result: answer['result'] })).toBe('{"id":1,"result":{"total":9007199254740993}}')
    expect(writeJson({ id: 1, result: { ...(answer['result'] as Json), more: true } })).toBe(
      '{"id":1,"result":{"total":9007199254740993,"more":true}}',
    )
  })

  test('may be remembered without a mark on it', () => {
    const message = read('{"params":{"arguments":{"inner":{"n":1.0}}}}')
    rememberMembers(message, ['params', 'arguments'])
    const { inner } = paramsOf(message)['arguments'] as { inner: object }
    expect(Reflect.ownKeys(inner)).toEqual(['n'])
    expect(writeJson({ params: { arguments: inner } })).toBe('{"params":{"arguments":{"n":1.0}}}')
  })

  test('takes raw values', () => {
    expect(writeJson({ ...read('{"id":1}'), id: new RawJson('1E400') })).toBe('{"id":1E400}')
    expect(writeJson({ id: new RawJson('"\\u0041"'), a: undefined, b: [1] })).toBe('{"id":"\\u0041","b":[1]}')
  })

  test('finds keys that are written with escapes', () => {
    const message = read('{"na\\u006de":"a","b":1.0}')
    expect(writeJson({ ...message, name: 'c' })).toBe('{"na\\u006de":"c","b":1.0}')
  })
})

describe('repeated keys', () => {
  test('pass where the hub does not read them', () => {
    const message = read('{"x":1,"x":2,"name":"a"}')
    expect(writeJson({ ...message, name: 'b' })).toBe('{"x":1,"x":2,"name":"b"}')
    expect(writeJson({ ...message, name: 'b', y: 1 })).toBe('{"x":1,"x":2,"name":"b","y":1}')
  })

  test('of what the hub reads lose all but the last', () => {
    const params = read('{"name":"danger","x":1.0,"name":"safe"}')
    expect(writeJson({ ...params, id: 1 })).toBe('{"x":1.0,"name":"safe","id":1}')
    expect(writeJson({ ...params, name: 'other' })).toBe('{"x":1.0,"name":"other"}')
    const nested = read('{"params":{"name":"a"},"params":{"name":"b","n":1.0}}')
    expect(writeJson({ ...nested, params: { ...paramsOf(nested), name: 'c' } })).toBe('{"params":{"name":"c","n":1.0}}')
  })

  test('are found', () => {
    expect(findRepeatedKey('{"a":{"b":1,"c":[{"b":1},{"b":2}]},"b":{}}', 0)).toBeNull()
    expect(findRepeatedKey('{"a":{"b":1,"c":"\\"b","\\u0062":2}}', 0)).toBe('b')
    expect(findRepeatedKey('["b","b"]', 0)).toBeNull()
  })
})

test('the text of a value is found by its path', () => {
  expect(textAt(read(hostile), ['params', '_meta', 'progressToken'])).toBe('12345678901234567890')
  expect(textAt(read(hostile), ['id'])).toBe('7')
  expect(textAt(read(hostile), ['params', 'nothing'])).toBeUndefined()
  expect(textAt({ a: 1 }, ['a'])).toBeUndefined()
})

test('elements of lists are found', () => {
  const text = ' [ 1, "a]", {"b":[2]} ] '
  expect(listElements(text).map(({ start, end }) => text.slice(start, end))).toEqual(['1', '"a]"', '{"b":[2]}'])
  expect(listElements('[]')).toEqual([])
})

test('whatever is changed, the outcome means what the copy means', () => {
  let seed = 1
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const value = (depth: number): unknown => {
    const kind = random(depth > 3 ? 4 : 6)
    if (kind === 0) return random(1000) / 4
    if (kind === 1) return ['"', '\\', '}', 'é', '😀', ','].slice(random(6)).join('')
    if (kind === 2) return [true, false, null][random(3)]
    if (kind === 3) return []
    if (kind === 4) return Array.from({ length: random(3) }, () => value(depth + 1))
    return object(depth + 1)
  }
  const object = (depth: number): Json =>
    Object.fromEntries(Array.from({ length: random(5) }, () => ['abcdefg'[random(7)]!, value(depth)]))
  const change = (given: Json): Json => {
    const copy = { ...given }
    for (const key of Object.keys(copy)) {
      const action = random(5)
      const old = copy[key]
      if (action === 0) delete copy[key]
      else if (action === 1) copy[key] = value(2)
      else if (action === 2 && typeof old === 'object' && old !== null && !Array.isArray(old))
        copy[key] = change(old as Json)
    }
    if (random(3) === 0) copy['hijk'[random(4)]!] = value(2)
    return copy
  }
  for (let round = 0; round < 2000; round++) {
    const text = JSON.stringify(object(0), null, random(3))
    const copy = change(read(text))
    expect(JSON.parse(writeJson(copy))).toEqual(JSON.parse(JSON.stringify(copy)))
  }
})

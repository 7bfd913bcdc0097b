import { describe, expect, test } from 'vitest'
import { canonicalJson, canonicalText, findLosses } from './canonical-json.ts'
import { keepText, markElements, readJson, writeJson } from './json-text.ts'

type Json = Record<string, unknown>

const read = (text: string) => readJson(text) as Json

describe('what parsing loses', () => {
  test.each([
    ['{"a":1.0,"b":10E-1,"c":-0,"d":1e2,"e":0.10,"f":9007199254740991,"g":1E+2}', []],
    ['{"a":"9223372036854775807","b":"1E400"}', []],
    ['{ "a" : 9223372036854775807 }', ['a=9223372036854775807']],
    ['{"a":[1,{"b":1E400}],"c":-12345678901234567890}', ['a,1,b=1E400', 'c=-12345678901234567890']],
    ['{"a":0.1000000000000000055511151231257827}', ['a=0.1000000000000000055511151231257827']],
    ['{"a":"first","b":{"c":1,"c":2},"a":"last"}', ['a="first"', 'b,c=1']],
    ['{"a":1,"\\u0061":2}', ['a=1']],
  ])('of %s is %j', (text, expected) => {
    expect(findLosses(read(text)).map((loss) => `${loss.path.join()}=${loss.text}`)).toEqual(expected)
  })

  test('is nothing where the object was made here', () => {
    expect(findLosses({ a: 1e300 })).toEqual([])
  })

  test('does not count where a copy says something else, or nothing', () => {
    const value = read('{"a":1E400,"b":1E401,"c":1E402}')
    const { b: _, ...copy }: Json = { ...value, a: 1 }
    expect(findLosses(copy)).toEqual([{ path: ['c'], text: '1E402', isHidden: false }])
    expect(findLosses(keepText({ b: value['b'] }, value))).toEqual([{ path: ['b'], text: '1E401', isHidden: false }])
  })
})

test('the canonical text of most values is their canonical JSON, whatever their order', () => {
  expect(canonicalText(read('{ "b":1.0,"a":[true] }'))).toBe('{"a":[true],"b":1}')
  expect(canonicalText({ b: 1, a: undefined })).toBe(canonicalJson({ b: 1 }))
})

test('numbers that JavaScript cannot tell apart have another canonical text', () => {
  const [one, other, again] = [
    '{"b":9223372036854775807,"a":1E400}',
    '{"b":9223372036854775806,"a":1E400}',
    '{"a":1E400, "b":9223372036854775807}',
  ].map((text) => canonicalText(read(text)))
  expect(one).not.toBe(other)
  expect(one).toBe(again)
})

test('the objects of a list inside of an object remember their text', () => {
  const answer = read('{"next":1,"tools":[ {"a":1.0} ,{"a":1E400}]}')
  markElements(answer, 'tools')
  expect((answer['tools'] as Json[]).map((each) => writeJson({ ...each, b: 1 }))).toEqual([
    '{"a":1.0,"b":1}',
    '{"a":1E400,"b":1}',
  ])
  markElements(answer, 'next')
  markElements(answer, 'nothing')
})

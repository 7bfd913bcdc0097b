import { describe, expect, test } from 'vitest'
import { decodeArguments, decodeJsonText, parseJsonText } from './decode-json-text.ts'

describe('an answer', () => {
  test('is decoded however often it was encoded', () => {
    const once = JSON.stringify({ a: [1] })
    const thrice = JSON.stringify([JSON.stringify([once])])
    expect(decodeJsonText({ text: thrice })).toEqual({ text: [[{ a: [1] }]] })
  })

  test.each(['plain', '', '"quoted"', '12', 'true', '{broken', '[1,', '{} trailing'])('keeps the text %j', (text) => {
    expect(decodeJsonText({ text })).toEqual({ text })
  })

  test('that is too long stays text', () => {
    const long = `[${'1,'.repeat(5_000_000)}1]`
    expect(decodeJsonText(long)).toBe(long)
  })

  test('shares one budget among all of its texts', () => {
    const text = `["${'x'.repeat(5_000_000)}"]`
    const [first, second] = decodeJsonText([text, text]) as unknown[]
    expect(Array.isArray(first)).toBe(true)
    expect(second).toBe(text)
  })

  test('that is made to be deep can still be written', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(decodeJsonText(deep)).toBe(deep)
    let layered = '[]'
    for (let layer = 0; layer < 12; layer++) layered = `${'['.repeat(60)}${JSON.stringify(layered)}${']'.repeat(60)}`
    expect(() => JSON.stringify(decodeJsonText(layered))).not.toThrow()
  })

  test('keeps a key __proto__ as a key', () => {
    expect(JSON.stringify(decodeJsonText('{"__proto__":"[1]"}'))).toBe('{"__proto__":[1]}')
  })
})

describe('arguments', () => {
  test('a schema that refers to itself ends', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/a' } } }
    expect(decodeArguments({ a: '{"b":1}' }, schema)).toEqual({ a: '{"b":1}' })
    const ring = { anyOf: [{ $ref: '#' }] }
    expect(decodeArguments({ a: '1' }, ring)).toEqual({ a: '1' })
  })

  test('a tree is decoded by a schema that repeats itself', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, n: { type: 'integer' } } } },
    }
    const given = { tree: JSON.stringify({ n: '1', next: JSON.stringify({ n: 2 }) }) }
    expect(decodeArguments(given, schema)).toEqual({ tree: { n: 1, next: { n: 2 } } })
  })

  test('schemas that are no schemas change nothing', () => {
    for (const properties of [null, 7, [], { a: true }, { a: null }, { a: { type: 5 } }]) {
      expect(decodeArguments({ a: '1' }, { properties })).toEqual({ a: '1' })
    }
  })
})

test('text that is no JSON is undefined, not an error', () => {
  expect(parseJsonText('no')).toBeUndefined()
  expect(parseJsonText('null')).toBeNull()
})

import { expect, test } from 'vitest'
import { mapValues } from './map-values.ts'
import { omitPath, readPath, writePath } from './value-path.ts'

test.each([
  '__proto__',
  'constructor',
  'constructor.name',
  'toString',
  'a.__proto__',
  'a.length',
  'list.length',
  'list.map',
])('a path does not lead into a prototype: %s', (path) => {
  expect(readPath({ a: 'text', list: [1] }, path)).toBeUndefined()
})

test.each(['__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__.polluted'])(
  'writing to %s makes properties and changes no prototype',
  (path) => {
    const into: Record<string, unknown> = {}
    writePath(into, path, 'yes')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.getPrototypeOf(into)).toBe(Object.prototype)
    expect(readPath(into, path)).toBe('yes')
  },
)

test('keys that came as JSON stay keys when they are mapped', () => {
  const data: unknown = JSON.parse('{"a":{"__proto__":{"x":1}},"__proto__":2}')
  const copy = mapValues([], data).value
  expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"x":1}},"__proto__":2}')
  const { value } = mapValues([{ target: '__proto__.y', source: 'a.__proto__.x' }], data)
  expect(JSON.stringify(value)).toBe('{"__proto__":{"y":1}}')
})

test('what was mapped is a copy', () => {
  const data = { list: [{ n: 1 }] }
  const { value } = mapValues([{ target: 'list' }], data)
  ;(value as typeof data).list[0]!.n = 2
  expect(data.list[0]!.n).toBe(1)
})

test.each([
  ['a', '{"b":{"c":1,"d":2}}'],
  ['b.c', '{"a":1,"b":{"d":2}}'],
  ['b.x', '{"a":1,"b":{"c":1,"d":2}}'],
  ['x', '{"a":1,"b":{"c":1,"d":2}}'],
  ['a.x', '{"a":1,"b":{"c":1,"d":2}}'],
])('without %s', (path, left) => {
  const data = { a: 1, b: { c: 1, d: 2 } }
  const result = omitPath(data, path)
  expect(result).toEqual(JSON.parse(left))
  expect(data).toEqual({ a: 1, b: { c: 1, d: 2 } })
})

import { expect, test } from 'vitest'

import { compareValues } from './compare.ts'

const exact = { ignoresVolatile: false }
const loose = { ignoresVolatile: true }

test('equal values have no difference, whatever the order of their fields', () => {
  expect(compareValues({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, exact)).toEqual([])
})

test('a difference is named with its path, and so is what came or went', () => {
  const before = { content: [{ type: 'text', text: 'a' }, 1], 'odd name': 1, gone: true }
  const after = { content: [{ type: 'text', text: 'b' }], 'odd name': [1], come: {} }
  expect(compareValues(before, after, exact)).toEqual([
    { path: 'content[0].text', before: 'a', after: 'b' },
    { path: 'content[1]', before: 1, after: undefined },
    { path: '"odd name"', before: 1, after: [1] },
    { path: 'gone', before: true, after: undefined },
    { path: 'come', before: undefined, after: {} },
  ])
  expect(compareValues('x', { x: 1 }, exact)).toEqual([{ path: '', before: 'x', after: { x: 1 } }])
})

test('ids and times are passed over on wish, by their names and by their looks', () => {
  const id = '7d444840-9dc0-11d1-b245-5ffdce74fad2'
  const before = { requestId: 1, created_at: 'x', format: 'a', text: `${id} at 2026-11-16T06:15:06.001Z` }
  const after = { requestId: 2, created_at: 'y', format: 'b', text: `${id.replace('7', '8')} at 2027-01-01 00:00` }
  expect(compareValues(before, after, loose)).toEqual([{ path: 'format', before: 'a', after: 'b' }])
  expect(compareValues(before, after, exact)).toHaveLength(4)
})

import { expect, test } from 'vitest'
import { lineOfPath, readJson } from './read-json.ts'

test('JSON is read, and a slip is told with its line', () => {
  expect(readJson('{"a": [1]}')).toEqual({ value: { a: [1] } })
  expect(readJson('{\n  "a": 1,\n}')).toEqual({ problem: expect.stringMatching(/^Line 3, column 1: /) })
  expect(readJson('')).toEqual({ problem: expect.stringContaining('not JSON') })
})

test('a path is found by its line, through lists and strings that look like structure', () => {
  const value = { name: 'a"{[', list: [{ x: ',' }, { deep: { 'odd.key': [1, 2] } }], last: null }
  const text = JSON.stringify(value, null, 2)
  const lineOf = (...path: (string | number)[]) => text.split('\n')[lineOfPath(text, path) - 1]
  expect(lineOf('name')).toContain('"name"')
  expect(lineOf('list', 1, 'deep', 'odd.key', 1)).toContain('2')
  expect(lineOf('last')).toContain('"last"')
  expect(lineOf('list', 7)).toContain('"list"')
  expect(lineOf('gone', 'further')).toBe('{')
})

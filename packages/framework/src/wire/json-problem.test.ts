import { expect, test } from 'vitest'
import { jsonProblem } from './json-problem.ts'

function problemOf(text: string): string {
  try {
    JSON.parse(text)
  } catch (error) {
    return jsonProblem(error)
  }
  return 'none'
}

test.each([
  'canary',
  '"text" canary',
  '<html>canary</html>',
  `${'x'.repeat(100)} canary "quoted" ${'x'.repeat(100)}`,
  '{"a":canary}',
  `{"a":"${'x'.repeat(50)}","b":canary,"c":"${'x'.repeat(50)}"}`,
  '{"a":1,canary}',
  '\ncanary\n"',
])('what the parser says of %j does not quote it', (text) => {
  expect(problemOf(text)).not.toContain('anary')
  expect(problemOf(text)).not.toBe('none')
})

test.each([
  ['{"a":1', 'position 6'],
  ['', 'end of JSON'],
  ['<html>', "token '<'"],
])('of %j it still says what is wrong: %s', (text, expected) => {
  expect(problemOf(text)).toContain(expected)
})

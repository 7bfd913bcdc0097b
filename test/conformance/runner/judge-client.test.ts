import { expect, test } from 'vitest'
import type { Result } from './judge-checks.ts'
import { judgeClient } from './judge-client.ts'

const passed: Result = { scenario: 'tools_call', outcome: 'pass', passed: 2, failed: 0, messages: [], crossed: [] }

test('what the suite calls good stays as its checks say', () => {
  expect(judgeClient(passed, true, 'a warning of Node')).toBe(passed)
})

test('a client that ends with an error fails the scenario although every check passed, with its own words', () => {
  const result = judgeClient(passed, false, 'The tool add_numbers is not listed.\n\n')
  expect(result).toMatchObject({ outcome: 'fail', passed: 2, failed: 1 })
  expect(result.messages).toEqual(['client: The tool add_numbers is not listed.'])
})

test('a warning fails the scenario, as it does for the suite', () => {
  const warned = { ...passed, messages: ['warning retry: too late'] }
  expect(judgeClient(warned, false, '')).toMatchObject({ outcome: 'fail', messages: ['warning retry: too late'] })
})

test('a failure that nobody explains is still one', () => {
  expect(judgeClient(passed, false, '').messages).toHaveLength(1)
})

test('what cannot cross stays so, although the suite calls it a failure', () => {
  const excused: Result = { ...passed, outcome: 'cannot cross' }
  expect(judgeClient(excused, false, 'refused')).toBe(excused)
})

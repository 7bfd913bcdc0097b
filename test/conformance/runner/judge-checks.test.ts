import { expect, test } from 'vitest'
import { judgeChecks, type Check } from './judge-checks.ts'

const check = (status: Check['status'], id = 'some-check'): Check => ({ id, status, errorMessage: 'because' })

test('one failed check makes the scenario fail and says why', () => {
  const result = judgeChecks('ping', [check('SUCCESS'), check('WARNING'), check('FAILURE')])
  expect(result).toMatchObject({ outcome: 'fail', passed: 1, failed: 1 })
  expect(result.messages).toEqual(['failure some-check: because', 'warning some-check: because'])
})

test('a warning leaves the scenario passing', () => {
  expect(judgeChecks('ping', [check('SUCCESS'), check('WARNING'), check('INFO')])).toMatchObject({
    outcome: 'pass',
    passed: 1,
  })
})

test('a scenario without a single verdict is skipped', () => {
  expect(judgeChecks('ping', [check('SKIPPED'), check('INFO')]).outcome).toBe('skipped')
})

test('a scenario that left no checks did not end, and fails with what the suite said last', () => {
  const result = judgeChecks('ping', undefined, { lastLines: 'Segmentation fault' })
  expect(result.outcome).toBe('fail')
  expect(result.messages[0]).toContain('Segmentation fault')
})

test('a failure that is excused cannot cross, and the other checks still count', () => {
  const checks = [check('SUCCESS'), check('FAILURE', 'key')]
  expect(judgeChecks('ping', checks, { excused: ['key'] })).toEqual({
    scenario: 'ping',
    outcome: 'cannot cross',
    passed: 1,
    failed: 0,
    messages: [],
    crossed: [],
  })
  expect(judgeChecks('ping', [...checks, check('FAILURE')], { excused: ['key'] }).outcome).toBe('fail')
})

test.each(['WARNING', 'SKIPPED', 'INFO'] as const)('an excused check that ends with %s has not crossed', (status) => {
  expect(judgeChecks('ping', [check(status, 'key')], { excused: ['key'] }).crossed).toEqual([])
})

test('an excused check that passes has crossed, unless another of the same id failed', () => {
  const passed = check('SUCCESS', 'key')
  expect(judgeChecks('ping', [passed], { excused: ['key', 'other'] }).crossed).toEqual(['key'])
  expect(judgeChecks('ping', [passed, check('FAILURE', 'key')], { excused: ['key'] }).crossed).toEqual([])
})

test('an excuse does not cover a scenario that did not end', () => {
  expect(judgeChecks('ping', undefined, { excused: ['key'] }).outcome).toBe('fail')
})

import { expect, test } from 'vitest'
import { judgeChecks, type Check } from './judge-checks.ts'

const check = (status: Check['status']): Check => ({ id: 'some-check', status, errorMessage: 'because' })

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
  const result = judgeChecks('ping', undefined, 'Segmentation fault')
  expect(result.outcome).toBe('fail')
  expect(result.messages[0]).toContain('Segmentation fault')
})

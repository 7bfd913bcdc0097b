import { expect, test } from 'vitest'
import { compareWithBaseline, recordResults } from './baseline.ts'
import type { Outcome, Result } from './judge-checks.ts'

const result = (outcome: Outcome, passed = 2): Result => ({
  scenario: 'ping',
  outcome,
  passed,
  failed: 0,
  messages: [],
})
const recorded = { ping: { outcome: 'pass', passed: 2 } } as const

test('a scenario that passes as before is as good as the baseline', () => {
  expect(compareWithBaseline([result('pass')], recorded)).toEqual([])
  expect(compareWithBaseline([result('pass', 3)], recorded)).toEqual([])
})

test('a scenario that passed and now fails or is skipped is worse', () => {
  expect(compareWithBaseline([result('fail')], recorded)).toEqual(['ping did not fail before: now it does.'])
  expect(compareWithBaseline([result('skipped', 0)], recorded)).toEqual(['ping passed before: now it is skipped.'])
})

test('a scenario that was skipped and now fails is worse, and one that now passes is not', () => {
  const skipped = { ping: { outcome: 'skipped', passed: 0 } } as const
  expect(compareWithBaseline([result('fail')], skipped)).toEqual(['ping did not fail before: now it does.'])
  expect(compareWithBaseline([result('pass')], skipped)).toEqual([])
})

test('a scenario that passes with fewer checks than before is worse', () => {
  expect(compareWithBaseline([result('pass', 1)], recorded)).toEqual(['ping passed 2 checks before: now only 1.'])
})

test('a failure is known only when it was recorded', () => {
  expect(compareWithBaseline([result('fail')])).toEqual(['ping fails and is not in the baseline.'])
  expect(compareWithBaseline([result('fail')], { ping: { outcome: 'fail', passed: 1 } })).toEqual([])
})

test('recording keeps the scenarios that were not run', () => {
  const before = { 'tools-list': { outcome: 'pass', passed: 4 } } as const
  expect(recordResults([result('pass')], before)).toEqual({ ...before, ...recorded })
})

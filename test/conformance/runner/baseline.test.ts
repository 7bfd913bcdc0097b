import { expect, test } from 'vitest'
import { compareWithBaseline, findMissing, recordResults } from './baseline.ts'
import type { Outcome, Result } from './judge-checks.ts'

const result = (outcome: Outcome, passed = 2): Result => ({
  scenario: 'ping',
  outcome,
  passed,
  failed: 0,
  messages: [],
  crossed: [],
})
const recorded = { ping: { outcome: 'pass', passed: 2 } } as const

test('a scenario that passes as before is as good as the baseline', () => {
  expect(compareWithBaseline([result('pass')], recorded)).toEqual([])
  expect(compareWithBaseline([result('pass', 3)], recorded)).toEqual([])
})

test('a scenario that fails is worse, whatever was recorded', () => {
  expect(compareWithBaseline([result('fail')], recorded)).toEqual(['ping fails.'])
  expect(compareWithBaseline([result('fail')])).toEqual(['ping fails.'])
})

test('a scenario that passed and now is skipped or excused is worse', () => {
  expect(compareWithBaseline([result('skipped', 0)], recorded)).toEqual(['ping passed before: now it is skipped.'])
  expect(compareWithBaseline([result('cannot cross')], recorded)).toEqual([
    'ping passed before: now runner/cannot-cross.ts excuses it. Record that with --update.',
  ])
})

test('a scenario that was skipped or excused and now passes is not worse', () => {
  for (const outcome of ['skipped', 'cannot cross'] as const) {
    expect(compareWithBaseline([result('pass')], { ping: { outcome, passed: 0 } })).toEqual([])
  }
})

test('a scenario that passes fewer checks than before is worse, also among those that cannot cross whole', () => {
  const problem = ['ping passed 2 checks before: now only 1.']
  expect(compareWithBaseline([result('pass', 1)], recorded)).toEqual(problem)
  const excused = { ping: { outcome: 'cannot cross', passed: 2 } } as const
  expect(compareWithBaseline([result('cannot cross', 1)], excused)).toEqual(problem)
})

test('a scenario that was never recorded has to be', () => {
  expect(compareWithBaseline([result('pass')])).toEqual(['ping is not in the baseline. Record it with --update.'])
})

test('a scenario that was recorded and did not run is missed', () => {
  expect(findMissing([], recorded)).toEqual(['ping is in the baseline and did not run.'])
  expect(findMissing([result('fail')], recorded)).toEqual([])
  expect(findMissing([])).toEqual([])
})

test('recording keeps the scenarios that were not run, and records no failure', () => {
  const before = { 'tools-list': { outcome: 'pass', passed: 4 } } as const
  expect(recordResults([result('pass')], before)).toEqual({ ...before, ...recorded })
  expect(recordResults([result('fail')], recorded)).toEqual(recorded)
  expect(recordResults([result('fail')])).toEqual({})
})

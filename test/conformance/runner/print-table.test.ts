import { expect, test } from 'vitest'
import type { Result } from './judge-checks.ts'
import { printTable } from './print-table.ts'

const result = (scenario: string, outcome: Result['outcome'], more: Partial<Result> = {}): Result => ({
  scenario,
  outcome,
  passed: 0,
  failed: 0,
  messages: [],
  crossed: [],
  ...more,
})

test('the table has a row for each scenario, a column for each leg and totals of what gave a verdict', () => {
  const passed = result('ping', 'pass', { passed: 2 })
  const failed = result('caching', 'fail', { passed: 7, failed: 1, messages: ['failure x: y'] })
  const table = printTable([
    { name: '2025-11-25', results: [passed], notYet: [] },
    {
      name: '2026-07-28',
      results: [
        failed,
        { ...passed, messages: ['warning x: y'] },
        result('tasks', 'skipped'),
        result('polling', 'cannot cross', { passed: 3 }),
      ],
      notYet: [{ scenario: 'auth/basic', reason: 'needs OAuth' }],
    },
  ])
  expect(table).toBe(
    [
      'scenario  2025-11-25  2026-07-28',
      '────────  ──────────  ──────────────────────────────────────────',
      'ping      pass 2      pass 2 (1 warned)',
      'caching   ·           FAIL 1 of 8',
      'tasks     ·           skipped',
      'polling   ·           cannot cross (3 passed)',
      '────────  ──────────  ──────────────────────────────────────────',
      'passed    1/1         1/3 (1 cannot cross, 1 skipped, 1 not yet)',
      '',
    ].join('\n'),
  )
})

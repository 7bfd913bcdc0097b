import { expect, test } from 'vitest'
import type { Result } from './judge-checks.ts'
import { printTable } from './print-table.ts'

test('the table has a row for each scenario, a column for each leg and totals without the skipped', () => {
  const passed: Result = { scenario: 'ping', outcome: 'pass', passed: 2, failed: 0, messages: [] }
  const failed: Result = { scenario: 'caching', outcome: 'fail', passed: 7, failed: 1, messages: ['failure x: y'] }
  const skipped: Result = { scenario: 'tasks', outcome: 'skipped', passed: 0, failed: 0, messages: [] }
  const warned = { ...passed, messages: ['warning x: y'] }
  const table = printTable([
    { name: '2025-11-25', results: [passed] },
    { name: '2026-07-28', results: [failed, warned, skipped] },
  ])
  expect(table).toBe(
    [
      'scenario  2025-11-25  2026-07-28',
      '────────  ──────────  ─────────────────',
      'ping      pass 2      pass 2 (1 warned)',
      'caching   ·           FAIL 1 of 8',
      'tasks     ·           skipped',
      '────────  ──────────  ─────────────────',
      'passed    1/1         1/2 (1 skipped)',
      '',
    ].join('\n'),
  )
})

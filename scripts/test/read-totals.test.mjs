import { expect, test } from 'vitest'
import { readTotals } from './read-totals.mjs'

test('passed, failed and skipped tests are counted and named', () => {
  const assertionResults = [
    { fullName: 'one', status: 'passed' },
    { fullName: 'two', status: 'failed' },
    { fullName: 'three', status: 'skipped' },
    { fullName: 'four', status: 'todo' },
  ]

  expect(readTotals([{ name: 'a.test.ts', status: 'failed', assertionResults }])).toEqual({
    passed: 1,
    failed: 1,
    failures: ['a.test.ts: two'],
    skipped: ['a.test.ts: three', 'a.test.ts: four'],
  })
})

test('a file that cannot be loaded is one failure', () => {
  const totals = readTotals([{ name: 'a.test.ts', status: 'failed', assertionResults: [] }])

  expect(totals).toMatchObject({ passed: 0, failed: 1, failures: ['a.test.ts: the file itself'] })
})

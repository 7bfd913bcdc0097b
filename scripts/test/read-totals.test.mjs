import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readTotals } from './read-totals.mjs'

test('passed, failed and skipped tests are counted and named', () => {
  const assertionResults = [
    { fullName: 'one', status: 'passed' },
    { fullName: 'two', status: 'failed' },
    { fullName: 'three', status: 'skipped' },
    { fullName: 'four', status: 'todo' },
  ]

  expect(readTotals(write([{ name: 'a.test.ts', status: 'failed', assertionResults }]))).toEqual({
    passed: 1,
    failed: 1,
    failures: ['a.test.ts: two'],
    skipped: ['a.test.ts: three', 'a.test.ts: four'],
  })
})

test('a file that cannot be loaded is one failure', () => {
  const totals = readTotals(write([{ name: 'a.test.ts', status: 'failed', assertionResults: [] }]))

  expect(totals).toMatchObject({ passed: 0, failed: 1, failures: ['a.test.ts: the file itself'] })
})

test('without a report nothing passed', () => {
  expect(readTotals(join(tmpdir(), 'no-such-report.json'))).toMatchObject({ passed: 0, failed: 0 })
})

/** @param {unknown[]} testResults */
function write(testResults) {
  const folder = mkdtempSync(join(tmpdir(), 'herma-totals-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'report.json')
  writeFileSync(file, JSON.stringify({ testResults }))
  return file
}

import { expect, test } from 'vitest'
import { mergeRuns } from './merge-runs.mjs'
import { readTotals } from './read-totals.mjs'

test('a test that failed and passes alone is passed and named', () => {
  const { files, unsteady } = mergeRuns(
    [file('a', { one: 'passed', two: 'failed', three: 'skipped' }), file('b', { four: 'passed' })],
    [file('a', { one: 'passed', two: 'passed', three: 'passed' })],
  )

  expect(unsteady).toEqual(['a: two failed, and passed when it was run again alone.'])
  expect(readTotals(files)).toEqual({ passed: 3, failed: 0, failures: [], skipped: ['a: three'] })
})

test('a test that fails twice, or did not run the second time, stays failed', () => {
  const first = [file('a', { one: 'failed', two: 'failed' }), file('b', { three: 'failed' })]
  const { files, unsteady } = mergeRuns(first, [file('a', { one: 'failed', two: 'skipped' })])

  expect(unsteady).toEqual([])
  expect(readTotals(files)).toMatchObject({ passed: 0, failures: ['a: one', 'a: two', 'b: three'] })
})

test('one name for two tests passes when both do', () => {
  const twice = (/** @type {string[]} */ ...statuses) => ({
    name: 'a',
    status: 'failed',
    assertionResults: statuses.map((status) => ({ fullName: 'one', status })),
  })

  expect(readTotals(mergeRuns([twice('failed', 'passed')], [twice('passed', 'failed')]).files).failed).toBe(1)
})

test('a test that passed and fails alone is passed and named', () => {
  const first = [file('a', { one: 'failed', two: 'passed' })]
  const { files, unsteady } = mergeRuns(first, [file('a', { one: 'passed', two: 'failed' })])

  expect(unsteady).toEqual([
    'a: one failed, and passed when it was run again alone.',
    'a: two passed, and failed when it was run again alone.',
  ])
  expect(readTotals(files)).toMatchObject({ passed: 2, failed: 0 })
})

test('a file that could not begin counts as it did the second time', () => {
  const broken = { ...file('a', { one: 'skipped' }), status: 'failed' }
  const mended = mergeRuns([broken], [file('a', { one: 'passed' })])

  expect(mended.unsteady).toEqual(['a: the file itself failed, and passed when it was run again alone.'])
  expect(readTotals(mended.files)).toMatchObject({ passed: 1, failed: 0, skipped: [] })
  expect(readTotals(mergeRuns([broken], [broken]).files)).toMatchObject({ passed: 0, failed: 1 })
  const cannotEnd = { ...file('a', { one: 'passed' }), status: 'failed' }
  expect(readTotals(mergeRuns([file('a', { one: 'failed' })], [cannotEnd]).files)).toMatchObject({ failed: 1 })
})

/**
 * @param {string} name
 * @param {Record<string, string>} tests
 */
function file(name, tests) {
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({ fullName, status }))
  const isFailed = assertionResults.some(({ status }) => status === 'failed')
  return { name, status: isFailed ? 'failed' : 'passed', assertionResults }
}

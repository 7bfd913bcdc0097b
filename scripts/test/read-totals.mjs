import { readIfThere, root } from '../prepare/repository.mjs'

/**
 * @typedef {{ fullName: string, status: string }} TestResult
 * @typedef {{ name: string, status: string, message: string, assertionResults: TestResult[] }} FileResult
 */

/**
 * Totals of vitest's JSON report. A file that fails as a whole, before or after its tests, counts as one failure.
 * @param {string} report
 */
export function readTotals(report) {
  const text = readIfThere(report)
  /** @type {FileResult[]} */
  const results = text === null ? [] : JSON.parse(text).testResults
  const files = results.map((file) => ({ ...file, name: file.name.replace(`${root}/`, '') }))
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })))
  const named = (/** @type {(status: string) => boolean} */ wanted) =>
    tests.filter((test) => wanted(test.status)).map((test) => `${test.file}: ${test.fullName}`)
  const broken = files.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
  const failures = [...named((status) => status === 'failed'), ...broken.map((file) => `${file.name}: the file itself`)]
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: failures.length,
    failures,
    skipped: named((status) => status !== 'passed' && status !== 'failed'),
  }
}

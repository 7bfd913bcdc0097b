import { isBrokenFile } from './read-report.mjs'

/**
 * Totals of the results of files. A file that fails as a whole, before or after its tests, counts as one failure.
 * @param {import('./read-report.mjs').FileResult[]} files
 */
export function readTotals(files) {
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })))
  const named = (/** @type {(status: string) => boolean} */ wanted) =>
    tests.filter((test) => wanted(test.status)).map((test) => `${test.file}: ${test.fullName}`)
  const broken = files.filter(isBrokenFile)
  const failures = [...named((status) => status === 'failed'), ...broken.map((file) => `${file.name}: the file itself`)]
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: failures.length,
    failures,
    skipped: named((status) => status !== 'passed' && status !== 'failed'),
  }
}

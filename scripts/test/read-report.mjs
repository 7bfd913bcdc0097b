import { readIfThere, root } from '../prepare/repository.mjs'

/**
 * @typedef {{ fullName: string, status: string }} TestResult
 * @typedef {{ name: string, status: string, assertionResults: TestResult[] }} FileResult
 */

/**
 * What report-with-errors.mjs wrote, with the names of files relative to the root; empty when vitest did not get that far.
 * @param {string} path
 * @returns {{ files: FileResult[], strayErrors: number }}
 */
export function readReport(path) {
  const text = readIfThere(path)
  const { testResults, strayErrors } = text === null ? { testResults: [], strayErrors: 0 } : JSON.parse(text)
  const files = testResults.map((/** @type {FileResult} */ file) => ({
    ...file,
    name: file.name.replace(`${root}/`, ''),
  }))
  return { files, strayErrors }
}

/**
 * True for a file that failed before or after its tests.
 * @param {FileResult} file
 */
export function isBrokenFile({ status, assertionResults }) {
  return status === 'failed' && assertionResults.every((test) => test.status !== 'failed')
}

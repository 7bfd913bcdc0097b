import { isBrokenFile } from './read-report.mjs'

/** @typedef {import('./read-report.mjs').FileResult} FileResult */

/**
 * The results of a run, with those of the failed files that were run again alone. What failed in one run and passed in
 * the other counts as passed, and is named as unsteady; what failed twice stays failed.
 * @param {FileResult[]} first
 * @param {FileResult[]} again
 */
export function mergeRuns(first, again) {
  /** @type {string[]} */
  const unsteady = []
  const files = first.map((file) => {
    const alone = again.find(({ name }) => name === file.name)
    if (alone === undefined) return file
    const merged = mergeFile(file, alone)
    unsteady.push(...describeUnsteady(file, alone).map((text) => `${file.name}: ${text}`))
    return merged
  })
  return { files, unsteady }
}

/**
 * @param {FileResult} file
 * @param {FileResult} alone
 * @returns {FileResult}
 */
function mergeFile(file, alone) {
  // Its tests did not run, or did not count.
  if (isBrokenFile(file)) return alone
  const assertionResults = file.assertionResults.map((test) =>
    test.status === 'failed' && statusOf(alone, test.fullName) === 'passed' ? { ...test, status: 'passed' } : test,
  )
  const isFailed = isBrokenFile(alone) || assertionResults.some(({ status }) => status === 'failed')
  return { ...file, status: isFailed ? 'failed' : 'passed', assertionResults }
}

/**
 * @param {FileResult} file
 * @param {FileResult} alone
 */
function describeUnsteady(file, alone) {
  const lines = file.assertionResults.flatMap(({ fullName, status }) => {
    const then = statusOf(alone, fullName)
    if (status === 'failed' && then === 'passed') return `${fullName} failed, and passed when it was run again alone.`
    if (status === 'passed' && then === 'failed') return `${fullName} passed, and failed when it was run again alone.`
    return []
  })
  const isMended = isBrokenFile(file) && alone.status === 'passed'
  return isMended ? [...lines, 'the file itself failed, and passed when it was run again alone.'] : lines
}

/**
 * Of all tests with that name, if there are several.
 * @param {FileResult} file
 * @param {string} name
 */
function statusOf({ assertionResults }, name) {
  const statuses = assertionResults.filter(({ fullName }) => fullName === name).map(({ status }) => status)
  return statuses.find((status) => status !== 'passed') ?? statuses[0]
}

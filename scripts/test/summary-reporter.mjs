import { writeFileSync } from 'node:fs'

/**
 * @typedef {object} Summary
 * @property {number} passed
 * @property {string[]} failures Tests, files that failed before or after their tests, and errors outside every test.
 * @property {string[]} skipped
 * @property {string[]} unsteady Tests that passed only when vitest ran them again.
 */

/** Writes what scripts/test.mjs says at its end into the file that HERMA_TEST_SUMMARY names. */
export default class SummaryReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly import('vitest').SerializedError[]} strayErrors
   */
  onTestRunEnd(modules, strayErrors) {
    const path = process.env['HERMA_TEST_SUMMARY']
    if (path === undefined) throw new Error('HERMA_TEST_SUMMARY has to name the file for the summary.')
    writeFileSync(path, JSON.stringify(summarize(modules, strayErrors)))
  }
}

/**
 * @param {readonly import('vitest/node').TestModule[]} modules
 * @param {readonly { message: string }[]} strayErrors
 * @returns {Summary}
 */
function summarize(modules, strayErrors) {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const named = (/** @type {typeof tests} */ some) =>
    some.map((test) => `${test.module.relativeModuleId}: ${test.fullName}`)
  const inState = (/** @type {string} */ state) => tests.filter((test) => test.result().state === state)
  // A test that vitest never came to, because its file ended before, is one that was skipped.
  const skipped = tests.filter((test) => ['skipped', 'pending'].includes(test.result().state))
  return {
    passed: inState('passed').length,
    failures: [
      ...named(inState('failed')),
      ...modules.filter(isBroken).map((module) => `${module.relativeModuleId}: the file itself`),
      ...strayErrors.map((error) => `outside every test: ${error.message.split('\n')[0]}`),
    ],
    skipped: named(skipped),
    unsteady: named(tests.filter((test) => test.diagnostic()?.flaky)).map(
      (name) => `${name} failed, and passed when it was run again.`,
    ),
  }
}

/**
 * True for a file that failed before or after its tests: its import, or a hook of it or of one of its suites.
 * @param {import('vitest/node').TestModule} module
 */
function isBroken(module) {
  if (module.state() !== 'failed') return false
  return [...module.children.allTests('failed')].length === 0
}

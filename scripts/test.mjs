// Runs every test in one go, and the few files that failed once more, alone. Repeats loudly what could not run or was
// unsteady, and ends with one line of totals. Arguments go to vitest: npm test -- packages/hub/src/wire
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './prepare/repository.mjs'
import { readTestPrograms } from './prepare/test-programs.mjs'
import { mergeRuns } from './test/merge-runs.mjs'
import { readReport } from './test/read-report.mjs'
import { readTotals } from './test/read-totals.mjs'

/** More files than this do not fail by chance. */
const maxFilesAgain = 5

const folder = mkdtempSync(join(tmpdir(), 'herma-test-'))
const { found, missing } = readTestPrograms()
// An empty value tells tests that the program is missing, wherever they would look for it themselves.
const programs = Object.fromEntries(Object.entries(found).map(([variable, path]) => [variable, path ?? '']))

/** @type {import('node:child_process').ChildProcess | undefined} */
let child
let isToldToStop = false
// Vitest ends its workers itself when it is told to stop; this process stays to print the totals.
// A terminal sends Ctrl C to both of them.
process.on('SIGINT', () => (isToldToStop = true))
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    isToldToStop = true
    child?.kill(signal)
  })
}

const first = await runVitest('first', process.argv.slice(2))
const failed = first.files.filter(({ status }) => status === 'failed').map(({ name }) => name)
// An error outside every test, or a crash of vitest itself, fails the run whatever the tests say.
const isBroken = first.strayErrors > 0 || (first.code !== 0 && failed.length === 0)
const { files, unsteady } = mergeRuns(first.files, await runAgain())
const totals = readTotals(files)
rmSync(folder, { recursive: true, force: true })

const loud = [
  ...missing.map((line) => `COULD NOT RUN: ${line}`),
  ...totals.skipped.map((name) => `SKIPPED: ${name}`),
  ...unsteady.map((text) => `UNSTEADY: ${text}`),
  ...totals.failures.map((name) => `FAILED: ${name}`),
  ...(isBroken ? [`FAILED: vitest ended with ${first.code ?? 'a signal'}; see above.`] : []),
]
if (loud.length > 0) process.stdout.write(`\n${loud.join('\n')}\n`)
if (totals.skipped.length > 0) process.stdout.write(`${totals.skipped.length} tests were skipped and prove nothing.\n`)
process.stdout.write(`\n${totals.passed} passed, ${totals.failed + (isBroken ? 1 : 0)} failed\n`)
process.exitCode = isBroken || totals.failed > 0 ? 1 : 0

/** What the failed files say when nothing else runs beside them; nothing where that could not change the verdict. */
async function runAgain() {
  const isWorthIt = !isBroken && !isToldToStop && first.code === 1
  if (!isWorthIt || failed.length === 0 || failed.length > maxFilesAgain) return []
  process.stdout.write(`\nOnce more, alone: ${failed.join(' ')}\n`)
  const again = await runVitest('again', [...failed.map((name) => join(root, name)), '--maxWorkers=1'])
  return again.strayErrors > 0 ? [] : again.files
}

/**
 * @param {string} name Of its report.
 * @param {string[]} args
 */
async function runVitest(name, args) {
  const report = join(folder, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=./scripts/test/report-with-errors.mjs']
  const options = ['run', ...reporters, `--outputFile.json=${report}`, ...args]
  const vitest = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...options], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...programs },
  })
  child = vitest
  /** @type {number | null} */
  const code = await new Promise((resolve, reject) => vitest.once('error', reject).once('close', resolve))
  return { code, ...readReport(report) }
}

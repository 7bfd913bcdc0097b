// Sets up what tests need, says first what that installs, runs them, and ends with one line of totals.
// Arguments go to vitest: npm test -- packages/hub/src/wire. With --quick: what needs only Node and is over soon.
import './prepare/require-node.mjs'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildStale } from './prepare/build-stale.mjs'
import { areInstalled, installPackages } from './prepare/install-packages.mjs'
import { readIfThere, root } from './prepare/repository.mjs'
import { explainInstalls, findPrograms, providePrograms } from './prepare/test-programs.mjs'
import { watchParents } from './test/watch-parents.mjs'

const isQuick = process.argv.includes('--quick')
const options = process.argv.slice(2).filter((option) => option !== '--quick')
const firstFlag = options.findIndex((option) => option.startsWith('-'))
const filters = firstFlag === -1 ? options : options.slice(0, firstFlag)

/** Everything temporary of this run is here. Its name marks the processes of the run, so that the guard finds them. */
const folder = mkdtempSync(join(tmpdir(), 'herma-test-'))
// PostgreSQL refuses to run as root, and its other user has to get through to its data.
chmodSync(folder, 0o711)
const summaryPath = join(folder, 'summary.json')
process.env['HERMA_TEST_RUN'] = folder
const guard = spawn(process.execPath, [join(root, 'scripts/test/guard.mjs'), folder], {
  // Of its own group, so that what ends this one does not end it.
  detached: true,
  stdio: ['pipe', 'inherit', 'inherit'],
})
guard.stdin.on('error', () => {})
// Whoever read our output may be gone before us.
process.stdout.on('error', () => {})

/** @type {import('node:child_process').ChildProcess | undefined} */
let vitest
let isToldToStop = false
// Vitest ends its workers itself when it is told to stop; this process stays to print the totals.
/** @param {NodeJS.Signals} signal */
function stop(signal) {
  isToldToStop = true
  // The guard ends whatever the preparation has under way.
  if (vitest === undefined) process.exit(1)
  // A terminal sends Ctrl C to both of us.
  if (signal !== 'SIGINT') vitest.kill(signal)
  setTimeout(() => vitest?.kill('SIGKILL'), 15_000).unref()
}
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => stop(signal))
watchParents(() => stop('SIGTERM'))

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function run() {
  const wanted = isQuick ? [] : findPrograms(filters)
  const installs = explainInstalls(wanted)
  const packages = areInstalled()
    ? ''
    : 'Going to install the packages of package-lock.json into node_modules (npm ci).\n'
  process.stdout.write(packages + installs || 'Going to install nothing.\n')
  await installPackages()
  if (!isQuick) await buildStale()
  const { environment, missing } = await providePrograms(wanted)
  const couldNotRun = missing.map((line) => `COULD NOT RUN: ${line}\n`).join('')
  process.stdout.write(missing.map((line) => `WARNING: not to be run: ${line}\n`).join(''))

  const code = await runVitest(environment)
  const text = readIfThere(summaryPath)
  await cleanUp()
  return printTotals(code, text === null ? null : JSON.parse(text), couldNotRun)
}

/** @param {Record<string, string>} environment */
async function runVitest(environment) {
  const chosen = isQuick ? ['--project=unit', '--retry=0'] : ['--retry=1']
  const reporters = ['--reporter=default', '--reporter=./scripts/test/summary-reporter.mjs']
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...chosen, ...options]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment, TMPDIR: folder, HERMA_TEST_SUMMARY: summaryPath },
  })
  vitest = child
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
}

/** Lets the guard end what is left of the run, and waits for it. */
async function cleanUp() {
  const isOver = new Promise((resolve) => guard.once('close', resolve))
  guard.stdin.end(isToldToStop ? '' : 'done')
  await isOver
}

/**
 * @param {number | null} code
 * @param {import('./test/summary-reporter.mjs').Summary | null} summary Null when vitest did not get that far.
 * @param {string} couldNotRun
 */
function printTotals(code, summary, couldNotRun) {
  const { passed, failures, skipped, unsteady } = summary ?? { passed: 0, failures: [], skipped: [], unsteady: [] }
  const isBroken = isToldToStop || summary === null || (code !== 0 && failures.length === 0)
  const end = isToldToStop ? 'was told to stop' : `ended with ${code ?? 'a signal'}; see above`
  const lines = [
    ...skipped.map((name) => `SKIPPED: ${name}`),
    ...unsteady.map((name) => `UNSTEADY: ${name}`),
    ...failures.map((name) => `FAILED: ${name}`),
    ...(isBroken ? [`FAILED: vitest ${end}.`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} tests were skipped and prove nothing.`] : []),
  ]
  const failed = failures.length + (isBroken ? 1 : 0)
  process.stdout.write(
    `\n${couldNotRun}${lines.map((line) => `${line}\n`).join('')}\n${passed} passed, ${failed} failed\n`,
  )
  return failed === 0 ? 0 : 1
}

// Runs every test in one go, repeats loudly what could not run, and ends with one line of totals.
// Arguments go to vitest: npm test -- packages/hub/src/wire
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './prepare/repository.mjs'
import { readTestPrograms } from './prepare/test-programs.mjs'
import { readTotals } from './test/read-totals.mjs'

const folder = mkdtempSync(join(tmpdir(), 'herma-test-'))
const report = join(folder, 'report.json')
const { found, missing } = readTestPrograms()
// An empty value tells tests that the program is missing, wherever they would look for it themselves.
const programs = Object.fromEntries(Object.entries(found).map(([variable, path]) => [variable, path ?? '']))

const options = [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
]
const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...options], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...programs },
})
// Vitest ends its workers itself when it is told to stop; this process stays to print the totals.
// A terminal sends Ctrl C to both of them.
process.on('SIGINT', () => {})
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal))
const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))

const totals = readTotals(report)
rmSync(folder, { recursive: true, force: true })
// An error outside every test, or a crash of vitest itself, fails the run without failing a test.
const isBroken = code !== 0 && totals.failed === 0
const loud = [
  ...missing.map((line) => `COULD NOT RUN: ${line}`),
  ...totals.skipped.map((name) => `SKIPPED: ${name}`),
  ...totals.failures.map((name) => `FAILED: ${name}`),
  ...(isBroken ? [`FAILED: vitest ended with ${code ?? 'a signal'}; see above.`] : []),
]
if (loud.length > 0) process.stdout.write(`\n${loud.join('\n')}\n`)
if (totals.skipped.length > 0) process.stdout.write(`${totals.skipped.length} tests were skipped and prove nothing.\n`)
process.stdout.write(`\n${totals.passed} passed, ${totals.failed + (isBroken ? 1 : 0)} failed\n`)
process.exitCode = code === 0 && totals.failed === 0 ? 0 : 1

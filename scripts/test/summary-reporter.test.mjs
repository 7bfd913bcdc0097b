import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../prepare/repository.mjs'

/** Runs vitest on files of sample/. */
function run(/** @type {string[]} */ ...names) {
  const folder = mkdtempSync(join(tmpdir(), 'herma-summary-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const summary = join(folder, 'summary.json')
  const options = [
    'run',
    '--root=scripts/test/sample',
    `--reporter=${root}/scripts/test/summary-reporter.mjs`,
    ...names,
  ]
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...options], {
    cwd: root,
    env: { ...process.env, HERMA_TEST_SUMMARY: summary },
  })
  return { status, summary: JSON.parse(readFileSync(summary, 'utf8')) }
}

test('what failed, was skipped or needed a second attempt is named, a broken file and a stray error too', () => {
  const { status, summary } = run()

  expect(status).toBe(1)
  expect(summary).toEqual({
    passed: 3,
    failures: expect.toSatisfy((/** @type {string[]} */ failures) => {
      const wanted = [
        'hook.sample.mjs: the file itself',
        'outside every test: nobody waits for me',
        'tests.sample.mjs: fails always',
      ]
      return JSON.stringify(failures.toSorted()) === JSON.stringify(wanted)
    }),
    skipped: expect.arrayContaining([
      'tests.sample.mjs: is skipped',
      'tests.sample.mjs: skips itself',
      'hook.sample.mjs: never begins',
    ]),
    unsteady: ['tests.sample.mjs: a suite > is unsteady failed, and passed when it was run again.'],
  })
})

test('without files nothing passed and nothing failed', () => {
  expect(run('--passWithNoTests', 'no-such-file')).toEqual({
    status: 0,
    summary: { passed: 0, failures: [], skipped: [], unsteady: [] },
  })
})

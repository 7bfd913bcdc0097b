import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../prepare/repository.mjs'
import { readReport } from './read-report.mjs'

test('files are named from the root', () => {
  const folder = mkdtempSync(join(tmpdir(), 'herma-report-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'report.json')
  const file = { name: `${root}/test/a.test.ts`, status: 'passed', assertionResults: [] }
  writeFileSync(path, JSON.stringify({ testResults: [file], strayErrors: 2 }))

  expect(readReport(path)).toEqual({ files: [{ ...file, name: 'test/a.test.ts' }], strayErrors: 2 })
})

test('without a report there are no files', () => {
  expect(readReport(join(tmpdir(), 'no-such-report.json'))).toEqual({ files: [], strayErrors: 0 })
})

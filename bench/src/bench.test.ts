import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { Results } from './report/render-report.ts'

const runBench = (...args: string[]) =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL('../bench.mjs', import.meta.url)), ...args])

test('measures targets side by side and writes what it printed', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const out = join(folder, 'results.json')
  const cases = 'http/legacy/echo/c16,stdio/legacy/echo/c1,1000-tools/legacy/list'
  const { stdout } = await runBench(
    '--targets',
    'direct,bare,sdk',
    '--cases',
    cases,
    '--rounds',
    '1',
    '--seconds',
    '0.1',
    '--out',
    out,
  )
  const results = JSON.parse(await readFile(out, 'utf8')) as Results
  const measured = results.rows.map((row) => `${row.case} ${row.target}`).toSorted()
  expect(measured).toHaveLength(9)
  for (const row of results.rows) {
    expect(row).toMatchObject({ failures: 0 })
    expect(row.toBare.callsPerSecond).toBeGreaterThan(0)
    expect(stdout).toContain(row.case)
  }
  const bare = results.rows.find((row) => row.target === 'bare')
  expect(bare?.peakRssMb).toBeGreaterThan(10)
  expect(bare?.toBare.callsPerSecond).toBe(1)
  expect(stdout).toMatch(/target +calls\/s +× bare/)
})

test('a mistake on the command line ends the run with a sentence', { timeout: 60_000 }, async () => {
  await expect(runBench('--targets', 'traefik')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Choose from: direct/),
  })
})

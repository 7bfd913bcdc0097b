import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import { isAlive } from '../../platform/process/process-tree.ts'
import { makeTestFolder, silentLog } from '../testing/test-folder.ts'
import { sweepFolder } from '../copy/remove-tree.ts'
import { runTests, type TestOptions } from './run-tests.ts'
import { sampleProjects } from './testing/sample-projects.ts'

const ownModules = fileURLToPath(new URL('../../../../../node_modules', import.meta.url))
const within = { timeout: 20_000, interval: 20 }

/** Runs the tests of a folder with these files; `left` is what the run left in its own folder. */
async function setUp(files: Readonly<Record<string, string>>, environment: NodeJS.ProcessEnv = process.env) {
  const [cwd, folder] = [await makeTestFolder(files), await makeTestFolder()]
  const watchdog = startProcessWatchdog()
  onTestFinished(() => watchdog.stop())
  const run = (options: Partial<TestOptions> = {}) =>
    runTests(
      { cwd, timeoutMs: 120_000, maxOutputBytes: 20_000, signal: new AbortController().signal, ...options },
      { watchdog, log: silentLog, environment, folder },
    )
  return { cwd, folder, watchdog, run, left: () => readdir(folder) }
}

// Of Maven there are only the recorded reports in cases/: even an empty project loads its plugins from Maven Central,
// which a machine that runs tests need not reach.
const realRuns = ['vitest', 'node', 'pytest', 'go', 'cargo', 'mix', 'jest'] as const

test.for(realRuns)(
  '%s really runs: counts, the failure with its place, and nothing is left',
  { timeout: 120_000 },
  async (framework, { skip }) => {
    const missing = whyNotHere(framework)
    if (missing !== null) skip(missing)
    const { files, failure } = sampleProjects[framework]
    const project = await setUp(files)
    const modules = findModules(framework)
    if (modules !== null) await symlink(modules, join(project.cwd, 'node_modules'))
    const printed: string[] = []
    const report = await project.run({ onOutput: (text) => printed.push(text) })
    expect(report, report.output).toMatchObject({
      framework,
      ok: false,
      reason: '1 of 3 tests failed.',
      counts: { total: 3, passed: 1, failed: 1, skipped: 1 },
      failures: [{ name: expect.stringMatching(/fails/i), message: expect.stringMatching(/\S/), ...failure }],
      timedOut: false,
      truncated: false,
    })
    expect(printed.join('').trimEnd()).toBe(report.output.trimEnd())
    expect(await project.left()).toEqual([])
  },
)

/** Packages that a project of this framework would have installed. */
function findModules(framework: (typeof realRuns)[number]): string | null {
  if (framework === 'vitest') return ownModules
  return framework === 'jest' ? join(process.env['HERMA_JEST']!, '../..') : null
}

/** What is here runs; `npm test` says loudly which ones are not. */
function whyNotHere(framework: (typeof realRuns)[number]): string | null {
  if (framework === 'vitest' || framework === 'node') return null
  if (framework === 'jest') return process.env['HERMA_JEST'] ? null : 'jest is not installed; npm test does that'
  const isHere = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, framework)))
  return isHere ? null : `${framework} is not in PATH`
}

const nodeScript = '{ "type": "module", "scripts": { "test": "node --test" } }'
const nodeTest = (body: string) => `import { test } from 'node:test'\n${body}\n`

test('tests that pass are ok, and paths choose among them', async () => {
  const good = nodeTest("test('adds', () => {})")
  const bad = nodeTest("test('fails', () => { throw new Error('no') })")
  const project = await setUp({ 'package.json': nodeScript, 'good.test.js': good, 'bad.test.js': bad })
  expect(await project.run({ paths: ['good.test.js'] })).toMatchObject({
    ok: true,
    reason: null,
    counts: { total: 1, passed: 1, failed: 0, skipped: 0 },
    failures: [],
    exitCode: 0,
    because: "the script 'test' of package.json runs node --test",
  })
})

test('a file that cannot be loaded, and a run without a report or without tests, are not ok and say why', async () => {
  const broken = await setUp({ 'package.json': nodeScript, 'a.test.js': "import './missing.js'" })
  const report = await broken.run()
  expect(report).toMatchObject({ ok: false, failures: [{ name: 'a.test.js', file: 'a.test.js' }] })
  expect(report.output).toContain('missing.js')
  const badOption = '{ "scripts": { "test": "node --experimental-nothing --test" } }'
  const unstarted = await setUp({ 'package.json': badOption, 'a.test.js': nodeTest('') })
  expect((await unstarted.run()).reason).toMatch(
    /^node exited with code 9 without a report; the output says why\. If pack/,
  )
  const empty = await setUp({ 'package.json': nodeScript })
  expect((await empty.run()).reason).toBe('node found no tests. Check the paths, or where the tests are.')
})

test('tests see what tools need, a place for temporary files, and nothing else of the hub', async () => {
  const show = nodeTest("test('a', () => console.log('ENV ' + JSON.stringify(process.env)))")
  const hub = {
    PATH: process.env['PATH'],
    HOME: '/home/x',
    OPENAI_API_KEY: 'hunter2',
    NODE_OPTIONS: '--trace-warnings',
  }
  const project = await setUp({ 'package.json': nodeScript, 'a.test.js': show }, hub)
  const { output } = await project.run({ env: { MINE: 'yes' } })
  const seen = JSON.parse(/ENV (\{.*\})/.exec(output)![1]!) as Record<string, string>
  expect(seen).toMatchObject({ PATH: hub.PATH, HOME: '/home/x', CI: '1', MINE: 'yes' })
  expect(seen['TMPDIR']).toContain(project.folder)
  expect(Object.keys(seen)).not.toContain('NODE_OPTIONS')
  expect(output).not.toContain('hunter2')
})

/** A runner that starts another process, ignores SIGTERM like that one, and never ends. */
const stubborn = `#!/bin/sh
trap '' TERM
sh -c 'trap "" TERM; while :; do sleep 1; done' &
echo "PIDS $$ $!"
while :; do sleep 1; done
`

test.for(['timeout', 'cancel', 'death of the hub'] as const)(
  '%s ends tests with all that they started',
  async (how) => {
    const project = await setUp({ 'vitest.config.ts': '', 'node_modules/.bin/vitest': stubborn })
    await chmod(join(project.cwd, 'node_modules/.bin/vitest'), 0o755)
    const cancel = new AbortController()
    let family: number[] = []
    const onOutput = (text: string) => {
      family = /PIDS (\d+) (\d+)/.exec(text)?.slice(1).map(Number) ?? family
    }
    const timeoutMs = how === 'timeout' ? 3000 : 120_000
    const running = project.run({ timeoutMs, signal: cancel.signal, onOutput })
    const outcome = running.catch((error: unknown) => error)
    await expect.poll(() => family.length, within).toBe(2)
    if (how === 'cancel') cancel.abort(new Error('enough'))
    if (how === 'death of the hub') project.watchdog.stop()
    const expected = { ok: false, timedOut: how === 'timeout' }
    expect(await outcome).toMatchObject(how === 'cancel' ? { message: 'enough' } : expected)
    expect(family.filter(isAlive)).toEqual([])
    expect(await project.left()).toEqual([])
  },
)

test('of a flood the end is kept', async () => {
  const flood = nodeTest("test('a', () => { for (let i = 0; i < 50_000; i++) console.log('line ' + i) })")
  const project = await setUp({ 'package.json': nodeScript, 'a.test.js': flood })
  const report = await project.run({ maxOutputBytes: 5000 })
  expect(report).toMatchObject({ ok: true, truncated: true })
  expect(Buffer.byteLength(report.output)).toBeLessThanOrEqual(5000)
  expect(report.output).toContain('duration_ms')
})

test('paths never become options, leave the folder, or name nothing', async () => {
  const project = await setUp({ 'package.json': nodeScript, 'a.test.js': '' })
  for (const [path, reason] of [
    ['--import=./evil.js', `"paths": '--import=./evil.js' begins with '-'.`],
    ['../other', `"paths": '../other' is not below the working directory.`],
    ['/etc/passwd', `"paths": '/etc/passwd' is not below the working directory.`],
    ['b.test.js', `"paths": 'b.test.js' is not in ${project.cwd}.`],
    ['', '"paths": "" is not a path.'],
  ] as const) {
    await expect(project.run({ paths: [path] })).rejects.toThrow(reason)
  }
})

test('what an earlier hub left is swept, also from folders that nobody may write', async () => {
  const { folder, left } = await setUp({})
  await makeReadOnly(folder)
  await sweepFolder(folder, silentLog)
  expect(await left()).toEqual([])
  await sweepFolder(join(folder, 'never-made'), silentLog)
})

async function makeReadOnly(folder: string): Promise<void> {
  await mkdir(join(folder, 'run-1/cache'), { recursive: true })
  await writeFile(join(folder, 'run-1/cache/file'), '')
  await chmod(join(folder, 'run-1/cache'), 0o500)
}

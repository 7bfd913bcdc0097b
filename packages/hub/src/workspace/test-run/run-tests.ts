import { chmod, mkdir, mkdtemp } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { HubError } from '@herma/contract'
import type { HiddenState } from '../../platform/hidden-state/hidden-state.ts'
import type { ProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import type { Log } from '../../platform/log.ts'
import { removeTreeOrLog } from '../copy/remove-tree.ts'
import { checkTestPaths } from './check-test-paths.ts'
import { chooseRunner, openTestProject, type ChosenRunner } from './detect-framework.ts'
import type { Framework } from './framework.ts'
import { LastLines } from './report/output-tail.ts'
import type { ResultList } from './report/result-list.ts'
import { testEnvironment } from './test-environment.ts'
import { runTestProcess, type ProcessEnd } from './test-process.ts'
import type { TestReport } from './report/test-report.ts'

export interface TestOptions {
  /** Absolute, and already checked. */
  readonly cwd: string
  /** Programs of the project are looked for from `cwd` up to here. */
  readonly root?: string | undefined
  /** Files and folders relative to `cwd`; none = all tests. */
  readonly paths?: readonly string[] | undefined
  /** Absent = the one that the files of the folder speak for. */
  readonly framework?: Framework | undefined
  readonly timeoutMs: number
  /** How much of the end of the output is kept. */
  readonly maxOutputBytes: number
  /** Variables besides the usual ones; the hub's own are not inherited. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly signal: AbortSignal
  /** Whole lines as they are printed. */
  onOutput?(text: string): void
}

export interface TestEnvironment {
  readonly watchdog: ProcessWatchdog
  /** Absent where nothing is hidden, as in tests of ours. */
  readonly hiddenState?: HiddenState | undefined
  readonly log: Log
  /** The hub's own environment. */
  readonly environment: NodeJS.ProcessEnv
  /** For reports and temporary files of runs; nothing else is in it. */
  readonly folder: string
}

/**
 * Runs the tests of a folder in a process group of its own, and resolves when nothing of it is left. Tests are programs:
 * they may do whatever the user of the hub may, but see its state. Rejects with the reason of the signal when that ends them.
 */
export async function runTests(options: TestOptions, outside: TestEnvironment): Promise<TestReport> {
  const { cwd, paths = [], signal } = options
  signal.throwIfAborted()
  await checkTestPaths(cwd, paths)
  const detect = { ...options, environment: outside.environment }
  const project = await openTestProject(detect)
  const chosen = await chooseRunner(project, detect)
  const places = await createPlaces(outside.folder)
  try {
    const reader = await chosen.runner.read({ project, reportFolder: places.reports })
    const output = new LastLines(options.maxOutputBytes)
    const show = (line: string | null) => {
      if (line === null) return
      output.add(line)
      options.onOutput?.(`${line}\n`)
    }
    const { command } = chosen
    const args = [...command.args, ...reader.args, ...command.pathArgs]
    const startedAt = performance.now()
    const end = await start(command.file, () =>
      runTestProcess({
        ...outside,
        ...options,
        file: command.file,
        args,
        env: { ...testEnvironment(outside.environment, { ...command.env, ...options.env }), TMPDIR: places.temporary },
        mark: places.temporary,
        // Both may lie in the state home: a copy of the workspace does, and so do the reports.
        shown: [cwd, places.folder],
        onLine: (line, stream) => show(stream === 'stdout' && reader.onLine ? reader.onLine(line) : line),
      }),
    )
    if (end.stoppedBy === 'cancel') signal.throwIfAborted()
    const durationMs = Math.round(performance.now() - startedAt)
    const results = await reader.finish()
    return {
      ...makeReport({ chosen, end, results, options }),
      durationMs,
      output: output.toString(),
      truncated: output.isCut || results?.isCut === true,
    }
  } finally {
    await removeTreeOrLog(places.folder, outside.log)
  }
}

interface Places {
  readonly folder: string
  readonly reports: string
  readonly temporary: string
}

// Temporary files of tests go with the run. As with /tmp, users whom the tests become may write there.
async function createPlaces(folder: string): Promise<Places> {
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const own = await mkdtemp(join(folder, 'run-'))
  await chmod(own, 0o711)
  const places = { folder: own, reports: join(own, 'reports'), temporary: join(own, 'tmp') }
  await mkdir(places.reports, { mode: 0o700 })
  await mkdir(places.temporary)
  await chmod(places.temporary, 0o1777)
  return places
}

async function start(file: string, run: () => Promise<ProcessEnd>): Promise<ProcessEnd> {
  try {
    return await run()
  } catch (error) {
    const message = `'${file}' did not start: ${(error as Error).message}. Check that it can be run by hand.`
    throw new HubError('TEST_RUNNER_NOT_FOUND', message, { cause: error })
  }
}

interface Outcome {
  readonly chosen: ChosenRunner
  readonly end: ProcessEnd
  readonly results: ResultList | null
  readonly options: TestOptions
}

function makeReport({ chosen, end, results, options }: Outcome) {
  const { runner, because, command } = chosen
  const counts = results?.counts ?? { total: 0, passed: 0, failed: 0, skipped: 0 }
  const reason = whyNotOk({ chosen, end, results, options })
  const shown = relative(options.cwd, command.file)
  return {
    framework: runner.framework,
    command: [shown.startsWith('..') ? command.file : shown, ...command.args, ...command.pathArgs].join(' '),
    because,
    ok: reason === null,
    reason,
    counts,
    failures: results?.failures ?? [],
    exitCode: end.exitCode,
    timedOut: end.stoppedBy === 'timeout',
  }
}

function whyNotOk({ chosen, end, results, options }: Outcome): string | null {
  const { failed = 0, total = 0 } = results?.counts ?? {}
  const { framework, advice } = chosen.runner
  if (end.stoppedBy === 'timeout') {
    const so = `It was stopped after ${options.timeoutMs / 1000} s`
    return `${so}${failed > 0 ? `; until then ${failed} of ${total} tests had failed` : ''}. Run fewer tests, or allow more time.`
  }
  if (failed > 0) return `${failed} of ${total} tests failed.`
  const how = end.signal === null ? `exited with code ${end.exitCode}` : `was ended by ${end.signal}`
  if (results === null) return `${framework} ${how} without a report; the output says why. ${advice}`
  if (total === 0) return `${framework} found no tests. Check the paths, or where the tests are.`
  return end.exitCode === 0 ? null : `No test failed, but ${framework} ${how}; the output says why.`
}

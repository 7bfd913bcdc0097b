import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { sourceFiles } from '../check/source-files.mjs'
import { findJest, jestCache, provideJest } from './provide-jest.mjs'
import { root } from './repository.mjs'

/**
 * A program that tests use besides Node.
 * @typedef {object} Program
 * @property {string} name
 * @property {string[]} commands What it may be called in PATH.
 * @property {string} [variable] Tells tests where it is; empty when it is missing. The others are found in PATH.
 * @property {string} [debian] The package to install; without one nothing is installed.
 * @property {string} purpose
 * @property {string[]} tests The files and folders that use it.
 */

const realRuns = ['packages/hub/src/workspace/test-run/run-tests.test.ts']

/** @type {Program[]} */
export const programs = [
  {
    name: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    variable: 'HERMA_CHROMIUM',
    debian: 'chromium',
    purpose: 'the web page in a browser',
    tests: ['test/e2e/web', 'test/e2e/oauth-server-browser.test.ts'],
  },
  {
    name: 'pytest',
    commands: ['pytest'],
    debian: 'python3-pytest',
    purpose: 'a real run of pytest by a session',
    tests: realRuns,
  },
  { name: 'mix', commands: ['mix'], debian: 'elixir', purpose: 'a real run of mix test by a session', tests: realRuns },
  { name: 'jest', commands: [], variable: 'HERMA_JEST', purpose: 'a real run of jest by a session', tests: realRuns },
  { name: 'go', commands: ['go'], purpose: 'a real run of go test by a session', tests: realRuns },
  { name: 'cargo', commands: ['cargo'], purpose: 'a real run of cargo test by a session', tests: realRuns },
]

/**
 * The programs that the chosen tests use, and where each is.
 * @param {string[]} filters Parts of paths, as vitest takes them; none for all tests.
 * @returns {(Program & { path: string | null })[]}
 */
export function findPrograms(filters = []) {
  return programs
    .filter((program) => program.tests.some((place) => isChosen(place, filters)))
    .map((program) => ({ ...program, path: locate(program) }))
}

/**
 * What is going to be installed and for which tests, before it happens.
 * @param {ReturnType<typeof findPrograms>} wanted
 */
export function explainInstalls(wanted) {
  const lines = wanted
    .filter(({ path }) => path === null)
    .flatMap((program) => {
      const use = `for ${program.purpose} (${program.tests.join(', ')})`
      if (program.name === 'jest') return [`  jest, with npm into ${jestCache()}, ${use}`]
      return canInstall(program) ? [`  ${program.debian}, with apt-get on this system, ${use}`] : []
    })
  return lines.length === 0 ? '' : `Going to install, and to keep:\n${lines.join('\n')}\n`
}

/**
 * Installs what is missing where it may, and returns the environment for tests and a remark on each that is not there.
 * A missing program fails nothing: the tests that need it are skipped.
 * @param {ReturnType<typeof findPrograms>} wanted
 */
export async function providePrograms(wanted) {
  const absent = wanted.filter(({ path }) => path === null)
  // npm loads its packages while apt-get does.
  const jest = absent.some(({ name }) => name === 'jest') ? provideJest() : null
  const packages = absent.filter(canInstall).map(({ debian }) => String(debian))
  const reason = packages.length === 0 ? null : installDebian(packages)
  const outcome = await jest
  const jestReason = outcome !== null && 'reason' in outcome ? outcome.reason : null
  const found = wanted.map((program) => ({ ...program, path: locate(program) }))
  return {
    environment: Object.fromEntries(
      found.flatMap(({ variable, path }) => (variable === undefined ? [] : [[variable, path ?? '']])),
    ),
    missing: found
      .filter(({ path }) => path === null)
      .map((program) => {
        const why = program.name === 'jest' ? jestReason : canInstall(program) ? reason : explainAbsence(program)
        return `${program.purpose}, because ${program.name} is missing. ${why ?? ''}`.trim()
      }),
  }
}

/**
 * @param {string} place
 * @param {string[]} filters
 */
function isChosen(place, filters) {
  if (filters.length === 0) return true
  const files = place.includes('.test.') ? [place] : sourceFiles(place).filter((file) => file.includes('.test.'))
  const parts = filters.map((filter) => filter.replace(/^\.\//, '').replace(/:\d+$/, ''))
  return files.some((file) => parts.some((part) => join(root, file).includes(part)))
}

/** @param {Program} program */
function canInstall({ debian, variable }) {
  const isTold = variable !== undefined && Boolean(process.env[variable])
  return debian !== undefined && !isTold && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

/** @param {Program} program */
function explainAbsence({ name, debian, variable }) {
  const told = variable === undefined ? '' : process.env[variable]
  if (told) return `${variable} names ${told}, which cannot be run.`
  return `Install ${name} yourself${debian === undefined ? '' : ` (on Debian: apt-get install ${debian})`}.`
}

/**
 * Installs Debian packages and returns null, or the reason why it could not, with the next step.
 * @param {string[]} names
 */
function installDebian(names) {
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...names]
  // A fresh system has no package lists yet, and old lists name packages that are gone.
  if (runApt(install) === null) return null
  runApt(['update', '-qq'])
  const failure = runApt(install)
  return failure === null ? null : `apt-get could not install it: ${failure}`
}

/** @param {string[]} options */
function runApt(options) {
  const settings = ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Dpkg::Use-Pty=0', '-o', 'Acquire::Retries=2']
  // Without the mark of a test run: whoever ends the run must not end apt-get in the middle of its work.
  const { HERMA_TEST_RUN: _, ...environment } = process.env
  const { status, error, stderr } = spawnSync('/usr/bin/apt-get', [...settings, ...options], {
    env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 300_000,
    killSignal: 'SIGKILL',
  })
  if (status === 0) return null
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `status ${status}.`
}

/** @param {Program} program */
function locate({ name, commands, variable }) {
  const told = variable === undefined ? undefined : process.env[variable]
  if (told) return isExecutable(told) ? told : null
  if (name === 'jest') return findJest()
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders.flatMap((folder) => commands.map((command) => join(folder, command))).find(isExecutable) ?? null
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Absent or not ours to run: both mean that tests cannot use it.
    return false
  }
}

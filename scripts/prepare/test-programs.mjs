import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { provideJest } from './provide-jest.mjs'
import { memo, readIfThere } from './repository.mjs'

/** Programs that tests use and Debian has. `variable` tells tests where the program is. */
const programs = [
  {
    package: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    variable: 'HERMA_CHROMIUM',
    without: 'the tests of the web page in a browser',
  },
  {
    package: 'nats-server',
    commands: ['nats-server'],
    variable: 'HERMA_NATS_SERVER',
    without: 'tests of several hubs as one',
  },
  {
    package: 'python3-pytest',
    commands: ['pytest', 'pytest-3'],
    variable: 'HERMA_PYTEST',
    without: 'a real run of pytest by a session',
  },
  {
    package: 'elixir',
    commands: ['mix'],
    variable: 'HERMA_MIX',
    without: 'a real run of mix test by a session',
  },
]

/**
 * Looks for the programs, installs Debian's packages where it may and jest from npm, and remembers what is missing.
 * A missing program fails nothing here: the tests that need it are skipped, and scripts/test.mjs says so loudly.
 */
export async function provideTestPrograms() {
  // npm loads its packages while apt-get does.
  const jest = provideJest()
  const absent = programs.filter((program) => findProgram(program) === null && !process.env[program.variable])
  const reason = absent.length === 0 ? null : installPackages(absent.map((program) => program.package))
  const installed = await jest
  /** @type {Record<string, string | null>} */
  const found = {
    ...Object.fromEntries(programs.map((program) => [program.variable, findProgram(program)])),
    HERMA_JEST: 'path' in installed ? installed.path : null,
  }
  const missing = programs
    .filter((program) => found[program.variable] === null)
    .map((program) => {
      const told = process.env[program.variable]
      const why = told ? `${program.variable} names ${told}, which cannot be run.` : (reason ?? '')
      return `${program.package} is missing, so this cannot run: ${program.without}. ${why}`.trim()
    })
  if ('reason' in installed)
    missing.push(`jest is missing, so its real run by a session cannot be. ${installed.reason}`)
  writeFileSync(memo('test-programs.json'), JSON.stringify({ found, missing }))
  for (const line of missing) process.stderr.write(`WARNING: ${line}\n`)
}

/**
 * What the last look found: the environment that tells tests where the programs are, and remarks on missing ones.
 * @returns {{ found: Record<string, string | null>, missing: string[] }}
 */
export function readTestPrograms() {
  const text = readIfThere(memo('test-programs.json'))
  return text === null ? { found: {}, missing: [] } : JSON.parse(text)
}

/**
 * Installs Debian packages and returns null, or the reason why it could not, with the next step.
 * @param {string[]} names
 */
function installPackages(names) {
  const byHand = `Install it yourself: apt-get install ${names.join(' ')} (or your system's packages of that name).`
  if (!existsSync('/usr/bin/apt-get')) return `This system has no apt-get. ${byHand}`
  if (process.getuid?.() !== 0) return `Only root may install packages. ${byHand}`
  process.stderr.write(`Installing ${names.join(', ')} for the tests (apt-get). This takes a minute.\n`)
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...names]
  // A fresh system has no package lists yet, and old lists name packages that are gone.
  const attempt = runApt(install)
  if (attempt === null) return null
  runApt(['update', '-qq'])
  const failure = runApt(install)
  return failure === null ? null : `apt-get could not install it: ${failure} ${byHand}`
}

/** @param {string[]} options */
function runApt(options) {
  const settings = ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Dpkg::Use-Pty=0', '-o', 'Acquire::Retries=2']
  const { status, error, stderr } = spawnSync('/usr/bin/apt-get', [...settings, ...options], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 300_000,
    killSignal: 'SIGKILL',
  })
  if (status === 0) return null
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `status ${status}.`
}

/** @param {(typeof programs)[number]} program */
function findProgram({ commands, variable }) {
  const told = process.env[variable]
  if (told) return isExecutable(told) ? told : null
  // Debian puts servers where only root's PATH leads.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const candidates = folders.filter(Boolean).flatMap((folder) => commands.map((command) => join(folder, command)))
  return candidates.find(isExecutable) ?? null
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

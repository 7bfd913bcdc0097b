import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { hashFiles, root } from './repository.mjs'

const fixture = 'test/fixtures/jest'
const files = ['package.json', 'package-lock.json', '.npmrc']
const timeoutMs = 180_000

/** Where Jest is kept: nothing but one test needs its 267 packages, and all clones share them. */
export function jestCache() {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'herma-test')
}

/** Where Jest is, or null before it was installed. */
export function findJest(cache = jestCache()) {
  const path = join(folderIn(cache), 'node_modules/.bin/jest')
  return existsSync(path) ? path : null
}

/**
 * Jest for the test that really runs it, from npm into the cache. Returns where it is, or the reason why it is not there.
 * @param {{ cache?: string, npm?: string[] }} [options]
 * @returns {Promise<{ path: string | null } | { reason: string }>}
 */
export async function provideJest({ cache = jestCache(), npm = findNpm() } = {}) {
  /** @type {string | undefined} */
  let reason
  try {
    mkdirSync(cache, { recursive: true })
    await withLock('jest', async () => void (reason = await installInto(cache, npm)), cache)
  } catch (error) {
    reason = `It could not be installed: ${/** @type {Error} */ (error).message}.`
  }
  return reason === undefined ? { path: findJest(cache) } : { reason }
}

/**
 * @param {string} cache
 * @param {string[]} npm
 * @returns {Promise<string | undefined>} Why it failed.
 */
async function installInto(cache, npm) {
  // Only who holds the lock has a draft, so these are of processes that were killed.
  for (const name of readdirSync(cache).filter((entry) => entry.includes('-draft'))) remove(join(cache, name))
  // Another clone may have installed it while this one waited for the lock.
  if (findJest(cache) !== null) return undefined
  const draft = `${folderIn(cache)}-draft`
  try {
    mkdirSync(draft)
    for (const name of files) copyFileSync(join(root, fixture, name), join(draft, name))
    const failure = await runNpm(npm, draft)
    if (failure !== null) return `${failure} Check the network, then run it again.`
    renameSync(draft, folderIn(cache))
    return undefined
  } finally {
    remove(draft)
  }
}

/** @param {string} cache */
function folderIn(cache) {
  return join(cache, `jest-${hashFiles(files.map((name) => `${fixture}/${name}`)).slice(0, 16)}`)
}

/** @param {string} folder */
function remove(folder) {
  rmSync(folder, { recursive: true, force: true })
}

function findNpm() {
  const npm = process.env['npm_execpath']
  return npm === undefined ? ['npm'] : [process.execPath, npm]
}

/**
 * Returns null when it succeeded. Nothing that is installed needs a script of its own to run.
 * @param {string[]} npm
 * @param {string} cwd
 * @returns {Promise<string | null>}
 */
function runNpm([command = 'npm', ...first], cwd) {
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  return new Promise((resolve) => {
    // No pipe: whoever waits for apt-get meanwhile reads none.
    const child = spawn(command, [...first, ...options], { cwd, stdio: ['ignore', 'ignore', 2], timeout: timeoutMs })
    child.once('error', (error) => resolve(`npm did not start: ${error.message}.`))
    child.once('exit', (code, signal) => resolve(code === 0 ? null : `npm ci ended with ${code ?? signal}.`))
  })
}

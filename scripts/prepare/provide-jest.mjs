import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { hashFiles, root } from './repository.mjs'

const fixture = 'test/fixtures/jest'
const files = ['package.json', 'package-lock.json', '.npmrc']
const timeoutMs = 180_000

/**
 * Jest for the test that really runs it, from npm into a cache: nothing else here needs its 267
 * packages, and all clones share it. Returns where it is, or the reason why it is not there.
 * @param {{ cache?: string, npm?: string[] }} [options]
 * @returns {Promise<{ path: string } | { reason: string }>}
 */
export async function provideJest({ cache = defaultCache(), npm = findNpm() } = {}) {
  const version = hashFiles(files.map((name) => `${fixture}/${name}`)).slice(0, 16)
  const folder = join(cache, `jest-${version}`)
  const path = join(folder, 'node_modules/.bin/jest')
  if (existsSync(path)) return { path }
  process.stderr.write('Installing jest for the tests (npm, once).\n')
  // Another clone may do the same now, so each works in a folder of its own, and the first that is done counts.
  const draft = `${folder}-${randomUUID()}`
  try {
    mkdirSync(draft, { recursive: true })
    for (const name of files) copyFileSync(join(root, fixture, name), join(draft, name))
    const failure = await runNpm(npm, draft)
    if (failure !== null) return { reason: `${failure} Check the network, then run it again.` }
    if (!existsSync(folder)) renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(path)) return { reason: `It could not be installed: ${/** @type {Error} */ (error).message}.` }
  } finally {
    if (existsSync(draft)) rmSync(draft, { recursive: true, force: true })
  }
  return { path }
}

function defaultCache() {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'herma-test')
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

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { hashFiles, memo, readIfThere, root } from './repository.mjs'

/** Runs `npm ci` unless the packages that package-lock.json names are installed. */
export async function installPackages() {
  const wanted = hashFiles(['package-lock.json'])
  if (readIfThere(memo('install')) === wanted) return
  await withLock('install', () => {
    if (!areInstalled()) runNpmCi()
    writeFileSync(memo('install'), wanted)
  })
}

/** Whether the packages that package-lock.json names are installed. */
export function areInstalled() {
  const installed = readIfThere(join(root, 'node_modules/.package-lock.json'))
  return installed !== null && isSamePackages(readFileSync(join(root, 'package-lock.json'), 'utf8'), installed)
}

/**
 * Compares package-lock.json with the list that npm keeps of what it installed, so that an `npm install` by hand
 * counts too.
 * @param {string} wantedText
 * @param {string} installedText
 */
export function isSamePackages(wantedText, installedText) {
  /** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, peer?: boolean }} Entry */
  /** @type {Record<string, Entry>} */
  const wanted = JSON.parse(wantedText).packages
  /** @type {Record<string, Entry>} */
  const installed = JSON.parse(installedText).packages
  return Object.entries(wanted).every(([path, entry]) => {
    // What is not under node_modules is this repository itself.
    if (!path.includes('node_modules/') || entry.link) return true
    const found = installed[path]
    // What is optional may be for another platform.
    if (found === undefined) return entry.optional === true || entry.peer === true
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

function runNpmCi() {
  process.stderr.write('Installing packages (npm ci). The first time takes a minute.\n')
  const npm = process.env['npm_execpath']
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  const options = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync(command, [...first, ...options], { cwd: root, stdio: ['ignore', 2, 2] })
  if (error) throw new Error(`npm did not start: ${error.message}. Install npm, then run the command again.`)
  if (status !== 0) throw new Error('npm ci failed, see above. Check the network, then run the command again.')
}

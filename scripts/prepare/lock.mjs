import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './repository.mjs'

const patienceMs = 600_000

/**
 * Runs one piece of work at a time in this clone, so that `npm start` and `npm test` may be typed at once.
 * @param {string} name
 * @param {() => void | Promise<void>} work
 * @param {string} place What is worked on: the clone, or a folder that several clones use.
 */
export async function withLock(name, work, place = root) {
  // Not under node_modules, which npm ci removes.
  const id = createHash('sha256').update(`${place}\0${process.getuid?.()}`).digest('hex').slice(0, 16)
  const file = join(tmpdir(), `herma-${name}-${id}.lock`)
  await take(file)
  try {
    await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** @param {string} file */
async function take(file) {
  const deadline = Date.now() + patienceMs
  let hasSaid = false
  while (!create(file)) {
    if (!isHeld(file)) {
      rmSync(file, { force: true })
      continue
    }
    if (Date.now() > deadline) throw new Error(`Another process works on it without end. Remove ${file} if none does.`)
    if (!hasSaid) process.stderr.write('Waiting for another process that prepares the same.\n')
    hasSaid = true
    await sleep(200)
  }
}

/** @param {string} file */
function create(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

/**
 * False when the process that took the lock is gone.
 * @param {string} file
 */
function isHeld(file) {
  try {
    const owner = Number(readFileSync(file, 'utf8'))
    // Empty for a moment while it is taken; for longer when its owner died in that moment.
    if (owner === 0) return Date.now() - statSync(file).mtimeMs < 5000
    process.kill(owner, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code
}

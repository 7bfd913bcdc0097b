import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { partNames, parts } from './parts.mjs'
import { hashFiles, memo, readIfThere, root } from './repository.mjs'

/** @typedef {import('./parts.mjs').Part} Part */

/** Builds the parts whose sources differ from those of the last build, or whose result is missing. */
export async function buildStale() {
  if (findStale().length === 0) return
  await withLock('build', async () => {
    // Whoever held the lock before may have built them.
    const stale = findStale()
    if (stale.length === 0) return
    process.stderr.write(`Building ${stale.join(', ')}.\n`)
    const { buildParts } = await import('../build.mjs')
    await buildParts(stale)
  })
}

/**
 * Remembers from which sources a part was built.
 * @param {Part} name
 */
export function rememberBuild(name) {
  const built = { ...readBuilds(), [name]: hashPart(name) }
  writeFileSync(memo('build.json'), JSON.stringify(built))
}

function findStale() {
  const built = readBuilds()
  return partNames.filter((name) => !existsSync(join(root, parts[name].output)) || built[name] !== hashPart(name))
}

/** @param {Part} name */
function hashPart(name) {
  return hashFiles([...parts[name].inputs, 'tsconfig.base.json', 'package-lock.json', 'scripts/build.mjs'])
}

/** @returns {Partial<Record<Part, string>>} */
function readBuilds() {
  return JSON.parse(readIfThere(memo('build.json')) ?? '{}')
}

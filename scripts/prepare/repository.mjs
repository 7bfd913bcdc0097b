import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the clone. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/**
 * A file that remembers something between runs; it goes away together with the installed packages.
 * @param {string} name
 */
export function memo(name) {
  return join(root, 'node_modules', `.herma-${name}`)
}

/**
 * Text of a file, or null when there is none.
 * @param {string} path
 */
export function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/**
 * Hash of the contents of files and folders, given relative to the root. Tests do not count: no build contains them.
 * @param {string[]} paths
 */
export function hashFiles(paths) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => listFiles(path))) {
    if (/\.test\.tsx?$/.test(file)) continue
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function listFiles(path) {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (statSync(full).isFile()) return [path]
  return readdirSync(full, { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(`${path}/${entry.name}`) : [`${path}/${entry.name}`]))
}

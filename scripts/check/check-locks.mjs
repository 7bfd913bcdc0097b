import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare/repository.mjs'
import { sourceFiles } from './source-files.mjs'

/** Lock files must install anywhere. Returns one line for each reason why one does not. */
export function checkLocks() {
  return sourceFiles()
    .filter((path) => path.endsWith('package-lock.json'))
    .flatMap((path) => explainLock(path, readFileSync(join(root, path), 'utf8')))
}

/**
 * @param {string} path
 * @param {string} text
 */
export function explainLock(path, text) {
  /** @type {Record<string, { resolved?: string, optionalDependencies?: Record<string, string> }>} */
  const packages = JSON.parse(text).packages
  const addresses = Object.values(packages).filter((entry) => entry.resolved?.startsWith('http'))
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) => {
    const names = Object.keys(optionalDependencies).filter((name) => !isLocked(packages, place, name))
    if (names.length === 0) return []
    return [`${path}: ${place || 'the root'} wants what is not locked, so npm ci refuses: ${names.join(', ')}`]
  })
  if (missing.length > 0) missing.push('Take a version whose native packages are published for every platform.')
  if (addresses.length === 0) return missing
  return [`${path} records download addresses. Remove it and run npm install with the .npmrc beside it.`, ...missing]
}

/**
 * Looks where Node would: beside the package, then in each folder above.
 * @param {Record<string, unknown>} packages
 * @param {string} place
 * @param {string} name
 */
function isLocked(packages, place, name) {
  const folders = place.split('/').map((_, index, all) => `${all.slice(0, all.length - index).join('/')}/`)
  return ['', ...folders].some((folder) => `${folder}node_modules/${name}` in packages)
}

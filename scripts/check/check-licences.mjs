import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare/repository.mjs'

/**
 * Licences that ask nothing of who uses Herma but to name the authors. MPL holds for files of its own, which we do not
 * change; OFL is for fonts.
 */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'OFL-1.1',
  'PostgreSQL',
  'Unlicense',
])

/** Returns one line for each package of production that may not be given on with Herma. */
export function checkLicences() {
  return explainLicences(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

/** @param {string} lock */
export function explainLicences(lock) {
  return readLicences(lock)
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, licence }) => `'${name}' is under ${licence || 'no licence'}. Take another package, or ask first.`)
}

/**
 * The packages that production needs, from the lock file, which knows those of every platform.
 * @param {string} lock
 */
export function readLicences(lock) {
  /** @type {Record<string, { version?: string, license?: string, dev?: boolean, devOptional?: boolean, link?: boolean }>} */
  const packages = JSON.parse(lock).packages
  const needed = Object.entries(packages).filter(
    ([place, { dev, devOptional, link }]) => place.includes('node_modules/') && !dev && !devOptional && !link,
  )
  return needed.map(([place, { version = '', license = '' }]) => ({
    name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    licence: license,
  }))
}

/**
 * Of `A OR B` one is enough, of `A AND B` both are needed.
 * @param {string} licence
 */
function isAllowed(licence) {
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every((name) => allowed.has(name.trim())))
}

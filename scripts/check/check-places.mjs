import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { root } from '../prepare/repository.mjs'
import { sourceFiles } from './source-files.mjs'

const binary = new Set(['.png', '.woff2', '.ico', '.gz', '.pdf'])

// People's folders in examples use one of these names.
const personal = /\/(?:home|Users)\/(?!(?:me|you|user|ana|alice|bob)\b)[\w.-]+\//
const registry = /registry\.(?:npmjs|yarnpkg)\.\w+|deb\.debian\.\w+|pypi\.\w+\/simple|_auth[T]oken/

const machinePlaces = findMachinePlaces()

/** Nothing in the repository may depend on the machine where it was written. Returns one line for each that does. */
export function checkPlaces() {
  return sourceFiles()
    .filter((path) => !binary.has(extname(path)) && !path.endsWith('package-lock.json'))
    .flatMap((path) => explainText(path, readFileSync(join(root, path), 'utf8')))
}

/**
 * @param {string} path
 * @param {string} text
 */
export function explainText(path, text) {
  return text.split('\n').flatMap((line, index) => {
    const place = findPlace(line)
    return place === null ? [] : [`${path}:${index + 1} names ${place}. Use a relative path, os.tmpdir() or a setting.`]
  })
}

/** @param {string} line */
function findPlace(line) {
  const machine = machinePlaces.find((place) => line.includes(place))
  if (machine !== undefined) return `'${machine}', a folder of this machine`
  const found = personal.exec(line) ?? registry.exec(line)
  return found === null ? null : `'${found[0]}'`
}

/** The clone, its neighbours, and the home of whoever runs this. */
function findMachinePlaces() {
  const around = dirname(root)
  // Neighbours in a folder that every machine has tell nothing.
  const isGeneral = ['/', '/home', '/tmp', '/Users', '/opt', '/srv', '/usr', '/var', '/var/lib'].includes(around)
  const neighbours = isGeneral ? [root] : readdirSync(around).map((name) => join(around, name))
  return [...neighbours, homedir()].filter((folder) => folder.length > 1).map((folder) => `${folder}/`)
}

import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { featureImports, packageImports, partImports, rootFolders } from '../feature-imports.mjs'
import { root } from '../prepare/repository.mjs'
import { isTest, sourceFiles } from './source-files.mjs'

const list = 'scripts/feature-imports.mjs'

/** Checks that imports follow the arrows of scripts/feature-imports.mjs. Returns one line for each that does not. */
export function checkImports() {
  return sourceFiles('packages')
    .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path))
    .flatMap((path) => readImports(path).map((specifier) => explainImport(path, specifier)))
    .filter((problem) => problem !== null)
}

/**
 * Why a file may not import something, null when it may.
 * @param {string} path
 * @param {string} specifier
 */
export function explainImport(path, specifier) {
  const problem = specifier.startsWith('.') ? explainFile(path, specifier) : explainPackage(path, specifier)
  return problem === null ? null : `${path} imports '${specifier}': ${problem}`
}

/**
 * @param {string} path
 * @param {string} specifier
 */
function explainPackage(path, specifier) {
  if (specifier.startsWith('node:') || isTest(path)) return null
  const name = /** @type {keyof typeof packageImports} */ (path.split('/')[1])
  const allowed = packageImports[name]
  if (allowed === undefined) return `packages/${name} is not in ${list}; add it with what it may import.`
  const workspaces = /** @type {readonly string[]} */ (allowed.workspaces)
  const wanted = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (wanted.startsWith('@herma/')) {
    return workspaces.includes(wanted) ? null : `${name} may import ${workspaces.join(', ') || 'no other workspace'}.`
  }
  if (allowed.packages === null || allowed.packages.includes(wanted)) return null
  return `${name} may import ${allowed.packages.join(', ')} only.`
}

/**
 * @param {string} path
 * @param {string} specifier
 */
function explainFile(path, specifier) {
  const wanted = posix.join(posix.dirname(path), specifier)
  const home = path.split('/').slice(0, 2).join('/')
  if (!wanted.startsWith(`${home}/`)) {
    if (isTest(path)) return null
    return `it is outside ${home}; import the package by its name, or move the file.`
  }
  // A test may put real parts together that the code itself keeps apart.
  if (home !== 'packages/hub' || isTest(path)) return null
  return explainArrow(partOf(path), partOf(wanted), wanted)
}

/**
 * @param {string} from
 * @param {string} to
 * @param {string} file
 */
function explainArrow(from, to, file) {
  if (from === to) return null
  if (to === 'cli') return 'nothing imports the command line.'
  const isFeature = to in featureImports
  if (!isFeature && to !== 'platform' && to !== 'hub') return `${to} is not in ${list}; add it with what it may import.`
  if (isFeature && /\/(table|store)\.ts$/.test(file)) return `only ${to} itself sees its tables; use ${to}/index.ts.`
  if (from === 'hub') return null
  if (to === 'trace') return 'nobody imports trace but hub.ts; emit an event through platform/events.ts.'
  const allowed = allowedFor(from)
  if (allowed === undefined) return `${from} is not in ${list}; add it with what it may import.`
  if (!allowed.includes(to)) {
    return `${from} may import ${allowed.join(', ')}. Declare the interface you need and let hub.ts pass it in (${list}).`
  }
  if (isFeature && !file.endsWith('/index.ts')) return `others see ${to} through ${to}/index.ts only; export it there.`
  return null
}

/** @param {string} part */
function allowedFor(part) {
  if (part in partImports) return partImports[/** @type {keyof typeof partImports} */ (part)]
  return part in featureImports ? ['platform', ...(featureImports[part] ?? [])] : undefined
}

/**
 * The folder under packages/hub/src that holds a file; `hub` for hub.ts and the folders that put features together.
 * @param {string} path
 */
function partOf(path) {
  const [, , , part = '', ...rest] = path.split('/')
  return rest.length === 0 || rootFolders.includes(part) ? 'hub' : part
}

/** @param {string} path */
export function readImports(path) {
  const text = readFileSync(join(root, path), 'utf8')
  const patterns = [
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /(?<![\w/])import\s*\(?\s*['"]([^'"]+)['"]/g,
  ]
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { root } from '../prepare/repository.mjs'
import { sourceFiles } from './source-files.mjs'

// Built, installed or written at run time: named in documents, absent in a clone.
const absent = /(^|\/)(dist|node_modules|\.state|results)(\/|$)/

/** Paths and relative links that the documents name must exist. Returns one line for each that does not. */
export function checkDocPaths() {
  return sourceFiles()
    .filter((path) => path.endsWith('.md') && !path.startsWith('test/'))
    .flatMap((path) => explainDocument(path, readFileSync(join(root, path), 'utf8')))
}

/**
 * @param {string} document
 * @param {string} text
 */
export function explainDocument(document, text) {
  const prose = text.replaceAll(/^```.*?^```/gms, (block) => block.replaceAll(/[^\n]/g, ''))
  return prose.split('\n').flatMap((line, index) => {
    const named = [...line.matchAll(/`([^`\s]+)`/g)].map((match) => match[1] ?? '').filter(isRepositoryPath)
    const missing = named.filter((path) => !expandBraces(path).every((one) => exists(one, document)))
    const links = [...line.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '')
    const broken = links.filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(document), link)))
    return [...missing, ...broken].map((path) => `${document}:${index + 1} names '${path}', which does not exist.`)
  })
}

/**
 * A path of the repository starts with one of its folders, or is a file in a folder. An address, a placeholder, a
 * package or a command is not one.
 * @param {string} text
 */
function isRepositoryPath(text) {
  if (!/^[\w.][\w.\-/{},*]*$/.test(text) || !text.includes('/') || absent.test(text)) return false
  const [first = ''] = text.split('/')
  return topLevel().has(first) || hubParts().has(first) || /\.(ts|tsx|mjs|js|json|md|sql|yaml)$/.test(text)
}

/**
 * A path is relative to the repository, its document, the hub's sources or the packages.
 * @param {string} path
 * @param {string} document
 */
function exists(path, document) {
  const bases = ['', dirname(document), 'packages/hub/src', 'packages']
  return bases.some((base) => {
    const full = posix.join(base, path)
    if (!full.includes('*')) return existsSync(join(root, full))
    const pattern = full
      .replaceAll(/[.+^$()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('**', '\0')
      .replaceAll('*', '[^/]*')
    const matcher = new RegExp(`^${pattern.replaceAll('\0', '.*')}(/|$)`)
    return allFiles().some((file) => matcher.test(file))
  })
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function expandBraces(path) {
  const found = /\{([^{}]*)\}/.exec(path)
  if (found === null) return [path]
  const choices = (found[1] ?? '').split(',')
  return choices.flatMap((choice) => expandBraces(path.replace(found[0], () => choice)))
}

const topLevel = once(() => new Set(readdirSync(root)))
const hubParts = once(() => new Set(readdirSync(join(root, 'packages/hub/src')).filter((name) => !name.includes('.'))))
const allFiles = once(() => sourceFiles())

/**
 * @template Value
 * @param {() => Value} make
 */
function once(make) {
  /** @type {Value | undefined} */
  let value
  return () => (value ??= make())
}

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare/repository.mjs'

const ignored = new Set(['node_modules', 'dist', '.git', '.herma', 'coverage', 'results', '.bundles'])

/**
 * Files that belong to the repository, relative to its root.
 * @param {string} folder
 * @returns {string[]}
 */
export function sourceFiles(folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !ignored.has(entry.name) && !entry.name.endsWith('.log'))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? sourceFiles(path) : [path]
    })
}

/** @param {string} path */
export function isTest(path) {
  return (
    /\.(test|contract)\.tsx?$/.test(path) ||
    /(^|\/)(test|cases|fixtures)\//.test(path) ||
    // What tests of a feature share; `src/testing` of a package is for its users.
    /\/src\/.+\/testing\//.test(path)
  )
}

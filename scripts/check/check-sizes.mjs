import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare/repository.mjs'
import { isTest, sourceFiles } from './source-files.mjs'

const remarkAbove = 300

/** Long files often hold a second idea, and some tell one long story: a remark for the reader, not a wall. */
export function checkSizes() {
  const files = sourceFiles('packages')
    .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTest(path))
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
  for (const { path, lines } of files) {
    if (lines > remarkAbove)
      process.stdout.write(`  remark: ${path} has ${lines} lines; look for a second idea in it.\n`)
  }
  return []
}

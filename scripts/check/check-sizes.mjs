import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare/repository.mjs'
import { isTest, sourceFiles } from './source-files.mjs'

const remarkAbove = 300
const refuseAbove = 400

/** Long files nearly always hold a second idea. Returns the too long ones; remarks go to standard output. */
export function checkSizes() {
  const files = sourceFiles('packages')
    .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTest(path))
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
  for (const { path, lines } of files) {
    if (lines <= remarkAbove || lines > refuseAbove) continue
    process.stdout.write(`  remark: ${path} has ${lines} lines; look for a second idea in it.\n`)
  }
  return files
    .filter(({ lines }) => lines > refuseAbove)
    .map(
      ({ path, lines }) =>
        `${path} has ${lines} lines (at most ${refuseAbove}): move its second idea to a file of its own.`,
    )
}

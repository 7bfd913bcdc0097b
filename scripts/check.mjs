// The gate: everything that must hold besides the tests. Each failure says what to do.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkDocPaths } from './check/check-doc-paths.mjs'
import { checkImports } from './check/check-imports.mjs'
import { checkLicences } from './check/check-licences.mjs'
import { checkLocks } from './check/check-locks.mjs'
import { checkPlaces } from './check/check-places.mjs'
import { checkRings } from './check/check-rings.mjs'
import { checkSizes } from './check/check-sizes.mjs'
import { root } from './prepare/repository.mjs'

/** @type {{ name: string, problems: () => string[] }[]} */
const checks = [
  ...['.', 'packages/web', 'test/e2e/web', 'scripts', 'bench']
    .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
    .map((folder) => ({
      name: `types (${folder})`,
      problems: () => run('typescript/bin/tsc', ['--noEmit', '-p', folder]),
    })),
  { name: 'lint', problems: () => run('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']) },
  {
    name: 'format',
    problems: () => run('oxfmt/bin/oxfmt', ['--check'], 'Run: npx oxfmt'),
  },
  { name: 'import arrows', problems: checkImports },
  { name: 'rings between folders', problems: checkRings },
  { name: 'file sizes', problems: checkSizes },
  { name: 'paths in documents', problems: checkDocPaths },
  { name: 'no machine in the files', problems: checkPlaces },
  { name: 'lock files', problems: checkLocks },
  { name: 'licences', problems: checkLicences },
  {
    name: 'generated files',
    problems: () =>
      run('tsx/dist/cli.mjs', ['--conditions=herma-source', 'scripts/generate.ts', '--check'], 'Run: npm run generate'),
  },
]

let failed = 0
for (const { name, problems } of checks) {
  const start = performance.now()
  const found = problems()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
  for (const line of found) process.stdout.write(`  ${line.replaceAll('\n', '\n  ')}\n`)
  if (found.length > 0) failed++
}
process.stdout.write(failed === 0 ? 'All checks passed.\n' : `${failed} of ${checks.length} checks failed.\n`)
process.exitCode = failed === 0 ? 0 : 1

/**
 * Runs a program of an installed package; its output is the problem when it fails.
 * @param {string} program
 * @param {string[]} options
 * @param {string} [nextStep]
 */
function run(program, options, nextStep) {
  const command = [join(root, 'node_modules', program), ...options]
  const { status, error, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (error) return [`${program} did not start: ${error.message}. Run: npm ci`]
  if (status === 0) return []
  const output = `${stdout}${stderr}`.trim()
  return nextStep === undefined ? [output] : [output, nextStep]
}

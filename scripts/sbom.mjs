// Writes what production installs: as CycloneDX for machines, and its licences for people. Both go with a release.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainLicences, readLicences } from './check/check-licences.mjs'
import { root } from './prepare/repository.mjs'

const folder = join(root, 'dist')
// npm's own --omit=dev leaves out what the root wants for its tests and the hub in production, so we choose ourselves.
const bill = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === 'win32',
})
if (bill.status !== 0) {
  process.stderr.write(`npm sbom failed.\n${bill.stderr}`)
  process.exit(1)
}
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')
const needed = new Set(readLicences(lock).map(({ name, version }) => `${name}@${version}`))
const whole = JSON.parse(bill.stdout)
/** @type {{ 'bom-ref': string, group?: string, name: string, version: string }[]} */
const components = whole.components.filter((/** @type {typeof components[number]} */ { group, name, version }) =>
  needed.has(`${group === undefined ? '' : `${group}/`}${name}@${version}`),
)
const refs = new Set([whole.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])])
const dependencies = whole.dependencies
  .filter((/** @type {{ ref: string }} */ { ref }) => refs.has(ref))
  .map((/** @type {{ ref: string, dependsOn?: string[] }} */ { ref, dependsOn = [] }) => ({
    ref,
    dependsOn: dependsOn.filter((each) => refs.has(each)),
  }))
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify({ ...whole, components, dependencies }, null, 2)}\n`)
writeFileSync(join(folder, 'licences.md'), describeLicences(readLicences(lock)))
const problems = explainLicences(lock)
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`Wrote dist/sbom.cdx.json with ${components.length} components, and dist/licences.md.\n`)
process.exitCode = problems.length === 0 ? 0 : 1

/** @param {{ name: string, version: string, licence: string }[]} packages */
function describeLicences(packages) {
  const names = [...new Set(packages.map(({ licence }) => licence))].toSorted()
  const parts = names.map((wanted) => {
    const own = packages.filter(({ licence }) => licence === wanted)
    const lines = [...new Set(own.map(({ name, version }) => `- ${name} ${version}`))].toSorted()
    return `## ${wanted} (${lines.length})\n\n${lines.join('\n')}\n`
  })
  return `# Licences of what Herma installs\n\n${parts.join('\n')}`
}

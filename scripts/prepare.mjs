// Makes a fresh clone ready for `npm start` and most other commands: installs and builds what is missing or stale.
// It needs nothing but Node and npm, so it imports nothing that an install brings.
import './prepare/require-node.mjs'

const known = ['--install-only', '--browser']
const unknown = process.argv.slice(2).find((option) => !known.includes(option))
if (unknown !== undefined) {
  process.stderr.write(`scripts/prepare.mjs does not know '${unknown}'. It takes: ${known.join(', ')}\n`)
  process.exit(2)
}

try {
  const { installPackages } = await import('./prepare/install-packages.mjs')
  await installPackages()
  if (!process.argv.includes('--install-only')) {
    const { buildStale } = await import('./prepare/build-stale.mjs')
    await buildStale()
  }
  if (process.argv.includes('--browser')) {
    const { findPrograms, explainInstalls, providePrograms } = await import('./prepare/test-programs.mjs')
    const browser = findPrograms().filter((program) => program.name === 'chromium')
    process.stderr.write(explainInstalls(browser))
    const { missing } = await providePrograms(browser)
    for (const line of missing) process.stderr.write(`WARNING: ${line}\n`)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

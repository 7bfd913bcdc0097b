// Makes a fresh clone ready for `npm start` and `npm test`: installs and builds what is missing or stale.
// It needs nothing but Node and npm, so it imports nothing that an install brings, and checks Node before all else.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Herma needs Node 20.19 or newer; this is Node ${process.versions.node}. Install a newer one and run the command again.\n`,
  )
  process.exit(1)
}

const known = ['--test', '--install-only']
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
  if (process.argv.includes('--test')) {
    const { provideTestPrograms } = await import('./prepare/test-programs.mjs')
    await provideTestPrograms()
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

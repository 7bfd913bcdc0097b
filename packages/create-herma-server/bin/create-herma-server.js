#!/usr/bin/env node
// The checked-in entry, so that npm can link it before anything is built.
import { existsSync } from 'node:fs'

const built = new URL('../dist/cli.js', import.meta.url)
if (existsSync(built)) {
  const { main } = await import(built.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  process.stderr.write('create-herma-server is not built yet. Run: npm run build\n')
  process.exitCode = 1
}

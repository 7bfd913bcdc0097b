#!/usr/bin/env node
// The checked-in entry, so that npm can link `herma` before anything is built.
import { existsSync } from 'node:fs'

const built = new URL('../dist/herma.js', import.meta.url)
if (existsSync(built)) {
  await import(built.href)
} else {
  process.stderr.write('Herma is not built yet. Run: npm start (it builds) or npm run build\n')
  process.exitCode = 1
}

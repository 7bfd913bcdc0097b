#!/usr/bin/env node
// The checked-in entry, so that npm can link `herma` before anything is built.
import { existsSync } from 'node:fs'
import * as modules from 'node:module'
import { fileURLToPath } from 'node:url'

// As Node 21 has it. Without it pg makes a Response to find out where it runs, which loads all of Node's fetch.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node.split('.')[0]}` }

const built = new URL('../dist/herma.js', import.meta.url)
if (existsSync(built)) {
  // Node 22.8 and later keep what they have compiled. Beside the build nobody else can put anything into it, and where
  // that cannot be written, nothing is kept.
  modules.enableCompileCache?.(fileURLToPath(new URL('../dist/compiled', import.meta.url)))
  await import(built.href)
} else {
  process.stderr.write('Herma is not built yet. Run: npm start (it builds) or npm run build\n')
  process.exitCode = 1
}

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { beginRunFolder, moveToRun, runFolder } from '../../../packages/hub/src/platform/testing/run-folder.ts'

const packages = fileURLToPath(new URL('../../../packages/', import.meta.url))

/** Builds the web UI once for all test files of a run, and returns its folder. */
export async function buildPages(): Promise<string> {
  const name = `web-${newestChange()}`
  if (!existsSync(runFolder(name))) {
    const folder = beginRunFolder(name)
    const root = join(packages, 'web')
    await asProduction(() => build({ root, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } }))
    moveToRun(folder, name)
  }
  return runFolder(name)
}

/** Vitest says 'test', which would give the slow React for developers. */
async function asProduction(work: () => Promise<unknown>): Promise<void> {
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  try {
    await work()
  } finally {
    process.env['NODE_ENV'] = before
  }
}

/** Sources that change between two runs of a watching vitest make another build. */
function newestChange(): number {
  const files = ['web/src', 'web/public', 'contract/src'].flatMap((source) =>
    readdirSync(join(packages, source), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(packages, source, file),
    ),
  )
  return Math.max(...files.map((file) => Math.trunc(statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)))
}

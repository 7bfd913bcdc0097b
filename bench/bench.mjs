// Builds the bench and runs it. Every measured process must be plain Node: a loader such as tsx would add its own
// memory, its own child process and its own start-up to what is measured.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

await build({
  absWorkingDir: here('.'),
  entryPoints: [
    'src/bench.ts',
    'src/catalog-bench.ts',
    'src/events-bench.ts',
    'src/access-bench.ts',
    'src/profile-bench.ts',
    'src/web-bench.ts',
    'src/framework/framework-bench.ts',
    'src/bench-client.ts',
    'src/bench-downstream.ts',
    'src/target/bare-proxy.ts',
    'src/target/bare-bridge.ts',
    'src/target/sdk-gateway.ts',
  ],
  entryNames: '[name]',
  outdir: 'dist',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
})

// `npm run bench -- catalog` measures the catalog alone, `npm run bench -- events` the recording of events,
// `npm run bench -- access` what recording and keys cost a call, `npm run bench -- web` the web UI in a browser,
// `npm run bench -- profile` where the time of a call goes, `npm run bench -- framework` the framework beside others.
const [first = '', ...rest] = process.argv.slice(2)
const programs = {
  catalog: ['--expose-gc', here('dist/catalog-bench.js'), ...rest],
  events: ['--enable-source-maps', here('dist/events-bench.js'), ...rest],
  access: ['--enable-source-maps', here('dist/access-bench.js'), ...rest],
  profile: ['--enable-source-maps', here('dist/profile-bench.js'), ...rest],
  web: ['--enable-source-maps', here('dist/web-bench.js'), ...rest],
  framework: ['--enable-source-maps', here('dist/framework-bench.js'), ...rest],
}
const program = programs[first] ?? ['--enable-source-maps', here('dist/bench.js'), ...process.argv.slice(2)]
const bench = spawn(process.execPath, program, { stdio: 'inherit' })
// The terminal sends SIGINT to both; the bench stops what it started and this process waits for it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => bench.kill(signal))
bench.on('exit', (code) => {
  process.exitCode = code ?? 1
})

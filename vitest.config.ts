import { transform } from 'esbuild'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'

// Vite's transformer leaves standard decorators in the output, which Node 20 cannot parse; esbuild lowers them.
const decorators: Plugin = {
  name: 'standard-decorators',
  enforce: 'pre',
  async transform(code, id) {
    const file = id.split('?')[0] ?? id
    if (!/\.[cm]?tsx?$/.test(file) || !/(^|\s)@\w|\baccessor\b/.test(code)) return null
    const loader = file.endsWith('x') ? 'tsx' : 'ts'
    const result = await transform(code, { loader, target: 'node20', format: 'esm', sourcemap: true, sourcefile: file })
    return { code: result.code, map: result.map }
  },
}

// Workspaces are imported as source, so that tests never run yesterday's build.
// Without 'module': vitest passes the list on to Node, which cannot load the builds that some packages keep there.
const resolve = {
  conditions: ['herma-source', 'node', 'development|production'],
  // The page's runtime is Preact, here as in its build (packages/web/vite.config.ts).
  alias: { react: 'preact/compat' },
}
const project = { plugins: [decorators], resolve, ssr: { resolve } }
// A worker keeps what it has imported for its next file: loading the hub anew for each took a quarter of all time. So no
// test may leave anything behind in its process.
const isolate = false
// What is waited for comes at once on a quiet machine; on a busy one nobody should fail for being second.
const patience = { poll: { timeout: 15_000 } }

// Ten seconds and more each: real programs, killed processes, thousands of random cases. `npm run test:quick` leaves them out.
export const long = [
  'bench/src/bench.test.ts',
  'packages/framework/src/compose/remote/remote-child.test.ts',
  'packages/hub/src/access/authority/authority.test.ts',
  'packages/hub/src/catalog/catalog-random.test.ts',
  'packages/hub/src/catalog/custom-tool/cases.test.ts',
  'packages/hub/src/catalog/custom-tool/create-custom-tool.test.ts',
  'packages/hub/src/catalog/fragment/file/fragment-watcher.test.ts',
  'packages/hub/src/catalog/mode/sandbox/sandbox.test.ts',
  'packages/hub/src/cli/up.test.ts',
  'packages/hub/src/platform/postgres/cluster/binaries.test.ts',
  'packages/hub/src/platform/postgres/embedded-postgres.test.ts',
  'packages/hub/src/platform/process/process-watchdog.test.ts',
  'packages/hub/src/platform/store/store.embedded.test.ts',
  'packages/hub/src/secret/key/key-rotation.test.ts',
  'packages/hub/src/workspace/commit/commit-random.test.ts',
  'packages/hub/src/workspace/test-run/run-tests.test.ts',
]

export default defineConfig({
  test: {
    pool: 'forks',
    // Files wait for processes of their own much of the time; three keep two cores busy without starving anyone's deadline.
    maxWorkers: 3,
    teardownTimeout: 20_000,
    projects: [
      {
        ...project,
        test: {
          name: 'unit',
          isolate,
          expect: patience,
          include: [
            'packages/*/src/**/*.test.{ts,tsx}',
            'scripts/**/*.test.{ts,mjs}',
            'bench/src/**/*.test.ts',
            'test/conformance/{runner,server,client}/**/*.test.ts',
            'test/interop/runner/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...long],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...project,
        test: { name: 'long', isolate, expect: patience, include: long, testTimeout: 30_000, hookTimeout: 60_000 },
      },
      {
        ...project,
        test: {
          name: 'e2e',
          isolate,
          expect: patience,
          include: ['test/e2e/**/*.test.ts', 'test/matrix/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})

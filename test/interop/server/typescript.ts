import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { InteropServer } from './interop-server.ts'
import { attemptToolset } from './toolset.ts'

const program = fileURLToPath(new URL('typescript-v2.mjs', import.meta.url))

/** A server on the official TypeScript SDK 2, which this repository has. */
export async function describeTypeScriptServer(): Promise<readonly InteropServer[]> {
  // The package does not export its package.json.
  const manifest = new URL('../package.json', import.meta.resolve('@modelcontextprotocol/server'))
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const name = 'ts2'
  return [
    {
      name,
      title: 'TypeScript SDK',
      version,
      transport: 'stdio',
      eras: 'both',
      connect: async () => ({ transport: 'stdio', cmd: process.execPath, args: [program] }),
      // JavaScript reads a number as a double, so that exact ones are not for it.
      attempts: (answers) => attemptToolset(name, ['count', 'ask', 'sample', 'roots', 'ask_either'], answers),
    },
  ]
}

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { createProgram } from './program.ts'
import type { Cli } from './terminal/cli.ts'

const cli = { terminal: {}, trailing: [], exitCode: 0 } as unknown as Cli
const namesFor = async (...words: string[]) => (await createProgram(cli, words)).commands.map((each) => each.name())

test('only the command that is used is loaded, and the same as among all', async () => {
  const all = await namesFor()
  expect(all).toContain('list')
  for (const name of all) expect(await namesFor(name)).toEqual([name])
  expect(await namesFor('--hub', 'http://127.0.0.1:1', '--json', 'list')).toEqual(['list'])
})

test('what is no command is told all of them', async () => {
  const all = await namesFor()
  for (const words of [['help', 'list'], ['--help'], ['lst'], ['constructor'], ['--token-file', 'list']])
    expect(await namesFor(...words)).toEqual(all)
})

test.each(['connector/connector', 'tools', 'hub', 'key', 'secret', 'stdio', 'up'])(
  'the command %s starts without the schemas, which take longer to load than all else',
  async (name) => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL(`./command/${name}.ts`, import.meta.url))],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      outdir: 'out',
      write: false,
      metafile: true,
    })
    // The entry comes first; what is imported when it is needed does not count.
    const parts = [Object.keys(metafile.outputs)[0]!]
    const imported = new Set<string>()
    for (const part of parts)
      for (const { path, kind } of metafile.outputs[part]?.imports ?? []) {
        if (kind !== 'import-statement' || imported.has(path)) continue
        imported.add(path)
        parts.push(path)
      }
    expect(imported).toContain('commander')
    expect(imported).not.toContain('@herma/contract')
    expect(imported).not.toContain('zod')
  },
)

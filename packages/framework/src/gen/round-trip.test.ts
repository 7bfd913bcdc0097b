import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, parse, relative } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateSchemas } from './generate-schemas.ts'

// The same source, run in each way that servers are run.
const source = (framework: string) => `
import { componentsOf, generated, prompt, tool } from '${framework}/decorator/index.ts'
import type { Context } from '${framework}/context/context.ts'
import * as schemas from './agenda.gen.ts'

interface Entry {
  title: string
  at: Date
  /** @default 1 */
  rank?: number
}

@generated(schemas.Agenda)
class Agenda {
  #entries: Entry[] = []

  /** Adds an entry. @param title what @minLength 2 @param at when */
  @tool.auto() add(title: string, at: Date, rank = 5, context?: Context): Entry {
    if (!(at instanceof Date)) throw new TypeError('at is no Date')
    this.#entries.push({ title, at, rank })
    return { title: title + ' ' + context?.method, at, rank }
  }
  @tool.auto({ description: 'By hand.' }) count(): number {
    return this.#entries.length
  }
  @tool.auto() sum(...values: number[]): number {
    return values.reduce((one, other) => one + other, 0)
  }
  @tool.auto() import({ entries }: { entries: Record<string, Entry | { kind: 'none' }> }): boolean {
    return Object.values(entries).every((entry) => 'kind' in entry || (entry.at instanceof Date && entry.rank === 1))
  }
  @prompt.auto() review(topic: string, style: 'short' | 'long' = 'short') {
    return topic + ' ' + style
  }
}

/** Calls as the server layer does: arguments are checked, then given to the handler. */
async function call(name: string, args: object) {
  const found = componentsOf(agenda).find((component) => component.name === name)
  if (found === undefined || found.kind === 'resource') throw new Error(name)
  const schema = found.kind === 'tool' ? found.definition.input : found.definition.args
  const checked = schema === undefined ? { value: {} } : await schema['~standard'].validate(args)
  if (checked.issues) return { issues: checked.issues.map((issue) => issue.message).join() }
  const output = await found.handler(checked.value as never, { method: 'tools/call' } as never)
  const outputSchema = found.kind === 'tool' ? found.definition.output : undefined
  if (outputSchema === undefined) return output
  const value = typeof output === 'object' && output !== null && 'structured' in output ? output.structured : output
  const result = await outputSchema['~standard'].validate(value)
  return result.issues ? { wrong: result.issues } : output
}

const agenda = new Agenda()
const [add, count, review] = componentsOf(agenda).filter(({ name }) => ['add', 'count', 'review'].includes(name))
export const told = {
  added: await call('add', { title: 'tea', at: '2026-11-16T08:00:00Z' }),
  tooShort: await call('add', { title: 't', at: '2026-11-16T08:00:00Z' }),
  noDate: await call('add', { title: 'tea', at: 'tomorrow' }),
  count: await call('count', {}),
  sum: await call('sum', { values: [1, 2, 3] }),
  none: await call('sum', {}),
  imported: await call('import', { entries: { a: { title: 'x', at: '2026-11-16T08:00:00Z' }, b: { kind: 'none' } } }),
  prompt: await call('review', { topic: 'tea' }),
  descriptions: [add?.definition.description, count?.definition.description],
  complete: review?.kind === 'prompt' ? review.definition.complete : undefined,
}
if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(told))
`

const expected = {
  added: { title: 'tea tools/call', at: '2026-11-16T08:00:00.000Z', rank: 5 },
  tooShort: { issues: expect.stringContaining('must NOT have fewer than 2 characters') },
  noDate: { issues: expect.stringContaining('date-time') },
  count: { structured: { result: 1 }, content: [{ type: 'text', text: '1' }] },
  sum: { structured: { result: 6 }, content: [{ type: 'text', text: '6' }] },
  none: { structured: { result: 0 }, content: [{ type: 'text', text: '0' }] },
  imported: { structured: { result: true }, content: [{ type: 'text', text: 'true' }] },
  prompt: 'tea short',
  descriptions: ['Adds an entry.', 'By hand.'],
  complete: { style: ['short', 'long'] },
}

const require = createRequire(import.meta.url)
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'herma-round-trip-')))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const framework = relative(folder, join(import.meta.dirname, '..')).replaceAll('\\', '/')
  await writeFile(join(folder, 'agenda.ts'), source(framework))
  await generateSchemas([join(folder, 'agenda.ts')])
})
afterAll(() => rm(folder, { recursive: true }))

describe('methods with generated schemas work', () => {
  test('as source, under vitest', async () => {
    const { told } = (await import(/* @vite-ignore */ join(folder, 'agenda.ts'))) as { told: object }
    expect(told).toEqual(expected)
  })

  test('as source, under tsx', async () => {
    const { stdout } = await run(process.execPath, [require.resolve('tsx/cli'), join(folder, 'agenda.ts'), '--print'])
    expect(JSON.parse(stdout)).toEqual(expected)
  })

  test('in a minified bundle', async () => {
    const outfile = join(folder, 'bundle.mjs')
    await build({
      entryPoints: [join(folder, 'agenda.ts')],
      outfile,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
    })
    const { stdout } = await run(process.execPath, [outfile, '--print'])
    expect(JSON.parse(stdout)).toEqual(expected)
  })

  test('built by tsc', async () => {
    const config = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: { rootDir: parse(folder).root, outDir: 'built', noCheck: true, declaration: false },
      files: ['agenda.ts'],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = require.resolve('typescript/package.json').replace('package.json', 'bin/tsc')
    await run(process.execPath, [tsc, '-p', folder])
    const built = join(folder, 'built', relative(parse(folder).root, folder), 'agenda.js')
    const { stdout } = await run(process.execPath, [built, '--print'])
    expect(JSON.parse(stdout)).toEqual(expected)
  })
})

test('a class without its schemas, or with old ones, is refused with the command to run', async () => {
  const { componentsOf, generated, tool } = await import('../decorator/index.ts')
  class Forgotten {
    @tool.auto() add(a: number) {
      return a
    }
  }
  @generated({})
  class Old {
    @tool.auto() add(a: number) {
      return a
    }
  }
  expect(() => componentsOf(new Forgotten())).toThrow(
    'Forgotten.add has @tool.auto(), but its class was given no schemas. Run: npx herma-gen',
  )
  expect(() => componentsOf(new Old())).toThrow('the generated schemas are older. Run: npx herma-gen')
  expect(() =>
    generated(undefined as never)(Old as never, { kind: 'class', name: 'A', metadata: {} } as never),
  ).toThrow("@generated of the class 'A' got undefined. Run: npx herma-gen")
  expect(await readFile(join(folder, 'agenda.gen.ts'), 'utf8')).toMatch(/^\/\/ Written by herma-gen from agenda\.ts\./)
})

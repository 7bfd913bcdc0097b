import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hermaGen } from './herma-gen.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-gen-'))
  await write('tsconfig.json', '{ "compilerOptions": { "lib": ["es2022"], "types": [] }, "include": ["src"] }')
  await write('src/adder.ts', adder('number'))
  await write('src/deep/plain.ts', 'export const plain = 1\n')
})
afterEach(() => rm(folder, { recursive: true }))

function adder(type: string): string {
  return `import { tool } from '@herma/framework'
export class Adder {
  @tool.auto() add(a: ${type}): void {}
}
`
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true })
  await writeFile(join(folder, path), text)
}

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' }
  const code = await hermaGen(args, {
    folder,
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
  })
  return { code, ...written }
}

const sidecar = () => readFile(join(folder, 'src/adder.gen.ts'), 'utf8')

describe('herma-gen', () => {
  test('writes the sidecars of the files of tsconfig.json, and says how to use a new one', async () => {
    expect(await run()).toEqual({
      code: 0,
      stdout: [
        'written  src/adder.gen.ts',
        "         add to adder.ts: import * as schemas from './adder.gen.ts'",
        '         add to adder.ts: @generated(schemas.Adder) class Adder …',
        '',
      ].join('\n'),
      stderr: '',
    })
    expect(await sidecar()).toContain('export const Adder = {')
  })

  test('takes files, folders and globs', async () => {
    for (const pattern of ['src/adder.ts', 'src', 'src/**/*.ts', './src/*']) {
      expect((await run(pattern)).stdout).toContain('src/adder.gen.ts')
      await rm(join(folder, 'src/adder.gen.ts'))
    }
  })

  test('leaves a sidecar alone that says the same, whatever a formatter made of it', async () => {
    await run()
    const formatted = (await sidecar()).replaceAll('"', "'").replaceAll(/'(\w+)':/g, '$1:')
    await write('src/adder.gen.ts', formatted)
    expect((await run()).stdout).toBe('current  src/adder.gen.ts\n')
    expect(await sidecar()).toBe(formatted)
    expect((await run('--check')).code).toBe(0)
  })

  test('--check fails on a missing, an old and an edited sidecar, and writes nothing', async () => {
    const outdated = {
      code: 1,
      stdout: 'outdated src/adder.gen.ts\n',
      stderr: expect.stringContaining('Run: npx herma-gen'),
    }
    expect(await run('--check')).toEqual(outdated)
    await expect(sidecar()).rejects.toThrow('ENOENT')
    await run()
    expect((await run('--check')).code).toBe(0)
    await write('src/adder.ts', adder('string'))
    expect(await run('--check')).toEqual(outdated)
    expect(await sidecar()).toContain('"number"')
    await run()
    await write('src/adder.gen.ts', (await sidecar()).replace('"string"', '"boolean"'))
    expect(await run('--check')).toEqual(outdated)
  })

  test('removes a sidecar that its source no longer needs', async () => {
    await run()
    await write('src/adder.ts', 'export class Adder {}\n')
    expect(await run('--check')).toMatchObject({ code: 1, stdout: 'outdated src/adder.gen.ts\n' })
    expect(await run()).toMatchObject({ code: 0, stdout: 'removed  src/adder.gen.ts\n' })
    await expect(sidecar()).rejects.toThrow('ENOENT')
    expect((await run()).stdout).toBe('No method has @tool.auto() or @prompt.auto().\n')
  })

  test('never writes over a file of somebody else', async () => {
    await write('src/adder.gen.ts', 'export const mine = 1\n')
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('was not written by herma-gen') })
    expect(await sidecar()).toBe('export const mine = 1\n')
  })

  test('tells problems of sources, wrong paths and wrong options', async () => {
    await write('src/adder.ts', adder('() => void'))
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringMatching(/^src\/adder\.ts:3:20 /) })
    expect(await run('nowhere.ts')).toMatchObject({
      code: 1,
      stderr: "No TypeScript file is or matches 'nowhere.ts'. Check the path; put globs in quotes.\n",
    })
    expect(await run('--chek')).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: herma-gen') })
    expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: herma-gen') })
  })

  test('gives the same for a file alone and among others', async () => {
    await write('src/adder.ts', adder(`'q' | 'p' | Other`).replace('export', `type Other = 's' | 'r'\nexport`))
    await write('src/aaa.ts', `export type Before = 'p' | 'r' | 's'\n${adder(`'r' | 'p'`)}`)
    await run('src/adder.ts')
    const alone = await sidecar()
    expect(alone.match(/"[pqrs]"/g)).toEqual(['"q"', '"p"', '"s"', '"r"'])
    await run()
    expect(await sidecar()).toBe(alone)
  })
})

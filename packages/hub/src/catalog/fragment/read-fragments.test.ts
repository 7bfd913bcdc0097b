import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { maxFiles } from './file/fragment-files.ts'
import { maxFileBytes } from './json/parse-json-file.ts'
import { readFragments } from './read-fragments.ts'

let root: string
let configHome: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'herma-fragments-'))
  configHome = join(root, 'config')
  await mkdir(configHome)
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(configHome, file)), { recursive: true })
    await writeFile(join(configHome, file), content)
  }
}

const folders = () => ({ configHome, stateHome: join(root, 'state'), workspace: root })
const read = () => readFragments(folders())
const fragment = (name: string) => JSON.stringify({ schemaVersion: 1, name })

async function errorsByFile(): Promise<Record<string, string>> {
  const loaded = await read()
  const faulty = loaded.filter(({ view }) => view.errors.length > 0)
  expect(faulty.every(({ view, fragment: each }) => !view.isEnabled && each === null)).toBe(true)
  return Object.fromEntries(faulty.map(({ view }) => [view.file, view.errors[0]?.message ?? '']))
}

test('files apply in the order defaults, bundles by folder, catalog by name, custom tools', async () => {
  await write({
    'catalog/b.json': fragment('second'),
    'catalog/a.json': '{"schemaVersion": 1}',
    'bundles/zebra/catalog.json': fragment('zebra'),
    'bundles/ant/catalog.json': fragment('ant'),
    'custom_tools.json': '{"tools": [{"name": "x", "command": "y"}]}',
  })
  const loaded = await read()
  expect(loaded.map(({ view }) => `${view.kind} ${view.file} ${view.name}`)).toEqual([
    'defaults (defaults) defaults',
    'bundle bundles/ant/catalog.json ant',
    'bundle bundles/zebra/catalog.json zebra',
    'catalog catalog/a.json a',
    'catalog catalog/b.json second',
    'custom-tools custom_tools.json custom_tools',
  ])
  expect(loaded.every(({ view }) => view.isEnabled)).toBe(true)
  expect(loaded.at(-1)?.customTools.map(({ name }) => name)).toEqual(['x'])
})

test('a home without any file, or no home at all, has the defaults only', async () => {
  expect(await read()).toHaveLength(1)
  await rm(configHome, { recursive: true })
  expect(await read()).toHaveLength(1)
})

test('what is no fragment is left alone', async () => {
  await write({
    'catalog/.#a.json': '{',
    'catalog/a.json~': '{',
    'catalog/notes.txt': '{',
    'catalog/folder.json/x': '{',
    'bundles/empty/readme.md': '{',
    'bundles/loose.json': '{',
    'bundles/.git/catalog.json': '{',
  })
  expect(await read()).toHaveLength(1)
})

test('one bad file disables itself only', async () => {
  await write({
    'catalog/a.json': '{"schemaVersion": 1,\n "aggregations": [{}]}',
    'catalog/b.json': '{',
    'catalog/c.json': fragment('good'),
    'custom_tools.json': '{"tools": {}}',
  })
  const loaded = await read()
  expect(loaded.filter(({ fragment: each }) => each !== null).map(({ view }) => view.name)).toEqual([
    'defaults',
    'good',
  ])
  expect(loaded[1]?.view.errors[0]).toMatchObject({ line: 2, column: 19, path: 'aggregations[0].name' })
  expect(Object.keys(await errorsByFile())).toEqual(['catalog/a.json', 'catalog/b.json', 'custom_tools.json'])
})

describe('a file is refused', () => {
  test('when a link leads out of the config home, or nowhere', async () => {
    await writeFile(join(root, 'outside.json'), fragment('outside'))
    await mkdir(join(root, 'bundle'))
    await writeFile(join(root, 'bundle', 'catalog.json'), fragment('outside'))
    await write({ 'catalog/inside.json': fragment('inside'), 'bundles/x/readme.md': '' })
    await symlink(join(root, 'outside.json'), join(configHome, 'catalog', 'out.json'))
    await symlink('inside.json', join(configHome, 'catalog', 'link.json'))
    await symlink('nowhere', join(configHome, 'catalog', 'dangling.json'))
    await symlink('loop.json', join(configHome, 'catalog', 'loop.json'))
    await symlink(join(root, 'bundle'), join(configHome, 'bundles', 'linked'))
    expect(await errorsByFile()).toEqual({
      'bundles/linked/catalog.json': 'It is a link that leaves the config home. Copy the file into it.',
      'catalog/dangling.json': 'It is a link that leads nowhere.',
      'catalog/loop.json': expect.stringContaining('It cannot be read: ELOOP') as string,
      'catalog/out.json': 'It is a link that leaves the config home. Copy the file into it.',
    })
    expect((await read()).map(({ view }) => view.file)).toContain('catalog/link.json')
  })

  test('when it is too large', async () => {
    await write({ 'catalog/a.json': ' '.repeat(maxFileBytes + 1), 'catalog/b.json': fragment('good') })
    expect(await errorsByFile()).toEqual({ 'catalog/a.json': 'It is larger than 4 MiB. Split it.' })
  })

  test('when it is no file, without waiting for a pipe', async () => {
    await write({ 'custom_tools.json/x': '', 'catalog/a.json': fragment('good') })
    execFileSync('mkfifo', [join(configHome, 'catalog', 'pipe.json')])
    expect(await errorsByFile()).toEqual({
      'catalog/pipe.json': 'It is no regular file.',
      'custom_tools.json': 'It is no regular file.',
    })
  })

  test('when its folder is no folder', async () => {
    await write({ catalog: 'x', 'bundles/a/catalog.json': fragment('good') })
    expect(await errorsByFile()).toEqual({ catalog: expect.stringContaining('The folder cannot be read') as string })
  })

  test('when there are too many', async () => {
    const names = Array.from({ length: maxFiles + 2 }, (_, index) => `catalog/f${String(index).padStart(4, '0')}.json`)
    await write(Object.fromEntries(names.map((name) => [name, '{"schemaVersion": 1}'])))
    const loaded = await read()
    expect(loaded).toHaveLength(maxFiles + 2)
    expect(loaded.at(-1)?.view.errors[0]?.message).toBe(
      'Only 500 files are read; 2 are left out, from this one on. Join some.',
    )
    expect(loaded.at(-1)?.view.file).toBe(names[maxFiles])
  })
})

test('a file that did not change is not parsed again', async () => {
  await write({ 'catalog/a.json': fragment('same'), 'catalog/b.json': fragment('old'), 'catalog/c.json': '{' })
  const before = await read()
  await write({ 'catalog/b.json': fragment('new'), 'catalog/c.json': '{}' })
  const after = await readFragments(folders(), before)
  expect(after[1]).toBe(before[1])
  expect(after[2]?.view.name).toBe('new')
  expect(after[3]?.view.errors[0]?.path).toBe('schemaVersion')
})
